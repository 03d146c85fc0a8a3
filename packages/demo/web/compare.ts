import { el, type Child } from './dom.js';

/** The principal whose view is drawn. */
export type Who = 'buyer' | 'assistant';

/** Whether two values from JSON responses are equal. */
export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * Draws values of one side and marks those for which the other side received something else.
 * Nothing is marked if `isComparing` is false because the other side's data is not available.
 */
export class Comparison {
  constructor(
    readonly who: Who,
    private readonly isComparing: boolean,
  ) {}

  /** Whether the two sides received different values. */
  differs(mine: unknown, other: unknown): boolean {
    if (!this.isComparing || (isNothing(mine) && isNothing(other))) return false;
    return !isSame(mine, other);
  }

  /**
   * Returns the value as a node, marked if the sides differ. On the assistant's side, a value that
   * only the buyer received becomes a bar. Returns null if there is nothing to show.
   */
  value<T>(
    mine: T | null | undefined,
    other: T | null | undefined,
    show: (value: T) => Child = (value) => String(value),
  ): Node | null {
    if (mine === null || mine === undefined) {
      const isWithheld = this.who === 'assistant' && this.differs(mine, other);
      return isWithheld ? withheld() : null;
    }
    if (!this.differs(mine, other)) return el('span', show(mine));
    if (this.who === 'buyer') return el('span.differs.hers', show(mine));
    return el(
      'span.differs.described',
      show(mine),
      el('span.hint', ' (in place of the value that she sees)'),
    );
  }
}

/** Creates the bar that replaces a withheld value. The note in the pane's header explains it. */
export function withheld(): HTMLElement {
  return el('span.differs.withheld', { title: 'not shared' }, el('span.hint', 'not shared'));
}
