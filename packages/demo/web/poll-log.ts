import type { ListEntry, PollBatch } from '@deal-sets/client';
import { dollars } from '@deal-sets/mcp-app/format.js';
import { button, el, replace, type Child } from './dom.js';
import { showExchange, type Exchange } from './exchanges.js';
import { carName, clock, plural, SECTION_NAMES } from './format.js';

const KEPT = 8;

/**
 * The log of the assistant's poll: one line that expands to show each `since`, its response, and
 * the returned entries.
 */
export class PollLog {
  readonly #state = el('span.poll-state');
  readonly #panel = el('div.poll-panel');
  readonly element = el(
    'details.poll',
    el('summary', el('strong', 'Live poll'), this.#state),
    this.#panel,
  );
  readonly #came: Child[] = [];
  #last: { readonly batch: PollBatch; readonly exchange: Exchange | undefined } | undefined;
  #idle = 0;
  #stopped: string | undefined;

  /** Adds the response to a poll. */
  add(batch: PollBatch, exchange: Exchange | undefined): void {
    this.#stopped = undefined;
    this.#last = { batch, exchange };
    if (batch.entries.length === 0) this.#idle += 1;
    else {
      this.#idle = 0;
      this.#came.unshift(came(batch, exchange));
      this.#came.splice(KEPT);
    }
    this.draw();
  }

  /** Shows why the poll has ended or is waiting. */
  stop(reason: string): void {
    this.#stopped = reason;
    this.draw();
  }

  draw(): void {
    const news =
      this.#idle === 0 ? 'something new' : `${plural(this.#idle, 'poll')} without changes`;
    this.#state.textContent = this.#stopped ?? news;
    replace(
      this.#panel,
      this.#last && current(this.#last.batch),
      this.#last && httpButton(this.#last.exchange, 'the latest poll'),
      el('h3', `Received, newest first (last ${KEPT})`),
      el(
        'ol.came.scrolls',
        { 'data-key': 'came', tabindex: 0, 'aria-label': 'Received' },
        this.#came.map((line) => el('li', line)),
      ),
    );
  }
}

function httpButton(exchange: Exchange | undefined, title: string): Child {
  return button('HTTP', () => showExchange(exchange), {
    class: 'quiet small',
    'data-key': `http-${title}`,
    'aria-label': `Show HTTP of ${title}`,
  });
}

function current({ since, asOf, more, entries }: PollBatch): Child {
  const line = (name: string, value: string): Child => [el('dt', name), el('dd', value)];
  return el(
    'div.poll-now',
    el(
      'dl',
      line('since', since || '1970-01-01T00:00:00Z, page by page'),
      line('Service-As-Of', asOf),
      line('Service-More', String(more)),
      line('entries', String(entries.length)),
    ),
  );
}

function came({ since, asOf, entries }: PollBatch, exchange: Exchange | undefined): Child {
  return [
    el('span.mono', since === '' ? 'everything' : `${clock(since)} → ${clock(asOf)}`),
    since === ''
      ? ` ${plural(entries.length, 'request')}`
      : entries.map((entry) => el('span.entry', entryText(entry))),
    httpButton(exchange, `the poll at ${clock(asOf)}`),
  ];
}

function entryText(entry: ListEntry): string {
  const { car, section, lowestWrittenOtdCents: price, changes } = entry;
  const replies = changes?.newReplies;
  return [
    carName(car),
    SECTION_NAMES[section].toLowerCase(),
    price === null ? 'no price yet' : `lowest ${dollars(price)}`,
    replies?.status === 'new' && plural(replies.count, 'new reply', 'new replies'),
  ]
    .filter((text) => text !== false)
    .join(' · ');
}
