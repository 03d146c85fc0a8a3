import { Changes } from './changes.js';
import { Comparison } from './compare.js';
import { dealSetView, singleView } from './deal-set-view.js';
import { button, el, replace, type Child } from './dom.js';
import { showExchange } from './exchanges.js';
import { LIST_PATH, type Problem, type Side } from './side.js';

/** The content of a pane that does not depend on the data. */
export interface PaneOptions {
  readonly title: string;
  /** Names the credential that this half uses, and explains its marks. */
  readonly note: Child;
  /** The body of the pane when its principal is signed out. */
  readonly signedOut: () => Child;
}

const PROBLEM_TEXTS: Readonly<Record<string, string>> = {
  rate_limited: 'Too many requests.',
  unavailable: 'The service is not available right now.',
  auth_unverifiable: 'The sign-in cannot be checked right now. You are not signed out.',
  network_error: 'The service cannot be reached.',
  insufficient_scope: 'The credential lacks the scope offers:read.',
  internal: 'Something went wrong in the service.',
};

/** One half of the page: a request as one principal receives it. */
export class Pane {
  readonly element: HTMLElement;
  readonly #body = el('div.pane-body');
  readonly #banner = el('div.banner-place', { role: 'status' });
  readonly #changes = new Changes();
  #timer = 0;

  constructor(
    private readonly options: PaneOptions,
    private readonly side: Side,
    private readonly selected: () => string | undefined,
  ) {
    const { title, note } = options;
    const { who } = side;
    this.element = el(
      'section',
      { class: `pane ${who}`, id: who, 'aria-labelledby': `${who}-title` },
      el(
        'header.pane-head',
        el('div', el('h2', { id: `${who}-title` }, title), el('p.note', note)),
        button('Show HTTP', () => showExchange(this.#exchange()), {
          class: 'quiet',
          'aria-label': `Show HTTP of ${title}`,
        }),
      ),
      this.#banner,
      this.#body,
    );
  }

  /** Draws the data of this side beside that of the other side. */
  draw(other: Side): void {
    const id = this.selected();
    this.#drawProblem();
    if (this.side.problem?.status === 401) replace(this.#body, this.options.signedOut());
    else if (id !== undefined) {
      replace(this.#body, this.#request(id, other.problem?.status === 401 ? undefined : other));
    }
  }

  #request(id: string, other: Side | undefined): Child {
    const { who, entries, result: mine, problem } = this.side;
    const entry = entries.get(id);
    if (entry?.kind === 'single') {
      const theirs = other?.entries.get(id);
      const isComparing = theirs?.kind === 'single';
      return singleView(new Comparison(who, isComparing), entry, isComparing ? theirs : undefined);
    }
    if (mine?.dealSetId !== id) return el('p.empty', problem ? '' : 'Loading…');
    this.#changes.note(mine);
    const theirs = other?.result?.dealSetId === id ? other.result : null;
    const compare = new Comparison(who, theirs !== null);
    return dealSetView(compare, { mine, other: theirs, changes: this.#changes });
  }

  /** Shows why this side cannot be read at the moment, above the data received last. */
  #drawProblem(): void {
    window.clearInterval(this.#timer);
    const { problem } = this.side;
    if (!problem || problem.status === 401) {
      replace(this.#banner);
      return;
    }
    const left = el('span');
    replace(
      this.#banner,
      el(
        'p.banner',
        el('strong', PROBLEM_TEXTS[problem.code] ?? 'That did not work.'),
        ' ',
        problem.status > 0 && el('code', `${problem.status} ${problem.code}`),
        ' ',
        left,
      ),
    );
    if (problem.untilMs !== null) this.#countDown(problem, left);
  }

  #countDown(problem: Problem, place: HTMLElement): void {
    const show = (): void => {
      const seconds = Math.ceil(((problem.untilMs ?? 0) - Date.now()) / 1000);
      place.textContent = seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…';
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

/**
 * Gives corresponding parts of the two panes the same height, so that rows can be compared side by
 * side.
 */
export function align(left: HTMLElement, right: HTMLElement): void {
  const inside = (pane: HTMLElement, selector: string): HTMLElement[] => [
    ...pane.querySelectorAll<HTMLElement>(selector),
  ];
  // Rows come first, because the height of a block depends on its rows.
  for (const selector of ['.pane-head', '.offer', '.item', '.pane-body > .block:not(.folded)']) {
    const [mine, others] = [inside(left, selector), inside(right, selector)];
    for (const element of [...mine, ...others]) element.style.minHeight = '';
    // A phone shows one pane at a time.
    if (!left.checkVisibility() || !right.checkVisibility()) continue;
    const heightOf = (element?: HTMLElement): number =>
      element?.getBoundingClientRect().height ?? 0;
    const heights = mine.map((element, at) => Math.max(heightOf(element), heightOf(others[at])));
    for (const parts of [mine, others]) {
      for (const [at, element] of parts.entries())
        element.style.minHeight = `${heights[at] ?? 0}px`;
    }
  }
}
