import type { ListEntry, PollBatch } from '@deal-sets/client';
import { button, el, replace, type Child } from './dom.js';
import { showExchange, type Exchange } from './exchanges.js';
import { carName, clock, dollars, plural, SECTION_NAMES } from './format.js';

const KEPT = 8;

/** The assistant's poll: each `since`, what came back with it, and the entries that it brought. */
export class PollLog {
  readonly element = el('div.poll-body');
  readonly #came: Child[] = [];
  #last: { readonly batch: PollBatch; readonly exchange: Exchange | undefined } | undefined;
  #idle = 0;
  #stopped: string | undefined;

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

  /** The poll ended, or waits. */
  stop(reason: string): void {
    this.#stopped = reason;
    this.draw();
  }

  draw(): void {
    replace(
      this.element,
      this.#last && current(this.#last.batch),
      el(
        'p.note.poll-state',
        this.#stopped ??
          (this.#idle === 0
            ? 'Every 2 seconds.'
            : `Every 2 seconds. ${plural(this.#idle, 'poll')} without news.`),
        this.#last && httpButton(this.#last.exchange, 'the latest poll'),
      ),
      el(
        'ol.came',
        this.#came.map((line) => el('li', line)),
      ),
    );
  }
}

function httpButton(exchange: Exchange | undefined, of: string): Child {
  return button('HTTP', () => showExchange(exchange), {
    class: 'quiet small',
    'data-key': `http-${of}`,
    'aria-label': `Show HTTP of ${of}`,
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
    .filter((part) => part !== false)
    .join(' · ');
}
