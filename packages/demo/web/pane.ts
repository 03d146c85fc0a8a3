import type { Row } from '@deal-sets/client';
import { Comparison, isSame, type Who } from './compare.js';
import { dealSetView, singleView } from './deal-set-view.js';
import { button, el, replace, type Child } from './dom.js';
import { showExchange } from './exchanges.js';
import { rowsByKey } from './offers-table.js';
import { LIST_PATH, type Problem, type Side } from './side.js';

export interface PaneOptions {
  readonly who: Who;
  readonly title: string;
  readonly credential: string;
  /** The body of the pane when its principal is signed out. */
  readonly signedOut: () => Child;
}

const PROBLEM_TEXTS: Readonly<Record<string, string>> = {
  rate_limited: 'Too many requests.',
  unavailable: 'The service cannot answer just now.',
  auth_unverifiable: 'The sign-in cannot be confirmed just now. That is not signed out.',
  network_error: 'The service cannot be reached.',
  insufficient_scope: 'The credential does not hold the scope offers:read.',
  internal: 'Something went wrong in the service.',
};

/** One half of the page: a request as one principal receives it. */
export class Pane {
  readonly element: HTMLElement;
  readonly #body = el('div', { class: 'pane-body' });
  readonly #banner = el('div', { class: 'banner-place', role: 'status' });
  #drawn = new Map<string, Row>();
  #timer = 0;

  constructor(
    private readonly options: PaneOptions,
    private readonly side: Side,
    private readonly selected: () => string | undefined,
  ) {
    const { who, title, credential } = options;
    this.element = el(
      'section',
      { class: `pane ${who}`, id: who, 'aria-labelledby': `${who}-title` },
      el(
        'header',
        {},
        el(
          'div',
          {},
          el('h2', { id: `${who}-title` }, title),
          el('p', { class: 'note' }, credential),
        ),
        button('Show HTTP', () => showExchange(this.#exchange()), {
          class: 'quiet',
          'aria-label': `Show HTTP of ${title}`,
        }),
      ),
      this.#banner,
      this.#body,
    );
  }

  /** Draws what this side has, beside what the other side has. */
  draw(other: Side): void {
    const { side } = this;
    const id = this.selected();
    this.drawProblem();
    if (side.problem?.status === 401) {
      replace(this.#body, this.options.signedOut());
      return;
    }
    if (id === undefined) return;
    const mine = side.entries.get(id);
    const isRead = side.result?.dealSetId === id;
    const isOther = other.problem?.status !== 401;
    const compare = new Comparison(
      side.who,
      isOther && (other.result?.dealSetId === id || other.entries.has(id)),
    );
    if (mine?.kind === 'single') {
      const others = other.entries.get(id);
      replace(
        this.#body,
        singleView(compare, mine, others?.kind === 'single' ? others : undefined),
      );
      return;
    }
    if (!isRead || !side.result) {
      replace(this.#body, el('p', { class: 'empty' }, side.problem ? '' : 'Reading …'));
      return;
    }
    const rows = new Map(rowsByKey(side.result));
    const fresh = new Set(
      [...rows]
        .filter(([key, row]) => this.#drawn.has(key) && !isSame(row, this.#drawn.get(key)))
        .map(([key]) => key),
    );
    this.#drawn = rows;
    const theirs = isOther && other.result?.dealSetId === id ? other.result : null;
    replace(
      this.#body,
      dealSetView(new Comparison(side.who, theirs !== null), {
        mine: side.result,
        other: theirs,
        fresh,
      }),
    );
  }

  /** Shows why this side cannot be read just now, over what it showed before. */
  drawProblem(): void {
    window.clearInterval(this.#timer);
    const { problem } = this.side;
    if (!problem || problem.status === 401) {
      replace(this.#banner);
      return;
    }
    const left = el('span', {});
    replace(
      this.#banner,
      el(
        'p',
        { class: 'banner' },
        el('strong', {}, PROBLEM_TEXTS[problem.code] ?? 'That did not work.'),
        ' ',
        problem.status > 0 && el('code', {}, `${problem.status} ${problem.code}`),
        ' ',
        left,
      ),
    );
    if (problem.untilMs !== null) this.#countDown(problem, left);
  }

  #countDown(problem: Problem, place: HTMLElement): void {
    const show = (): void => {
      const seconds = Math.ceil(((problem.untilMs ?? 0) - Date.now()) / 1000);
      place.textContent = seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again …';
    };
    show();
    this.#timer = window.setInterval(show, 1000);
  }

  #exchange(): ReturnType<Side['exchange']> {
    const id = this.selected();
    return (
      (id === undefined ? undefined : this.side.exchange(`${LIST_PATH}/${id}`)) ??
      this.side.exchange(LIST_PATH)
    );
  }
}

/** Gives parts that lie beside each other in two panes the same height, so that a row has its row to compare. */
export function align(one: HTMLElement, other: HTMLElement): void {
  const inside = (pane: HTMLElement, selector: string): HTMLElement[] => [
    ...pane.querySelectorAll<HTMLElement>(selector),
  ];
  // From the inside out: a block is as high as its rows.
  for (const selector of ['tr', '.item', '.pane-body > .block:not(.folded)']) {
    // A row of a table takes its height as the least one, and knows no other.
    const property = selector === 'tr' ? 'height' : 'minHeight';
    const [mine, others] = [inside(one, selector), inside(other, selector)];
    for (const part of [...mine, ...others]) part.style[property] = '';
    // On a phone one pane is seen at a time.
    if (!one.checkVisibility() || !other.checkVisibility()) continue;
    const heightOf = (part?: HTMLElement): number => part?.getBoundingClientRect().height ?? 0;
    const heights = mine.map((part, at) => Math.max(heightOf(part), heightOf(others[at])));
    for (const parts of [mine, others]) {
      for (const [at, part] of parts.entries()) part.style[property] = `${heights[at] ?? 0}px`;
    }
  }
}
