import { el, type Child } from './dom.js';

/** Whose view is drawn. */
export type Who = 'buyer' | 'assistant';

export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * Draws one value of one side and marks it if the other side received something else. If `other` is
 * undefined, nothing is known of the other side and nothing is marked.
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

  /** Returns the value, marked if the sides differ; null when neither side has one. */
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
      el('span.hint', ' (in place of the value she reads)'),
    );
  }
}

/** A bar in place of the value. The legend of the pane explains it. */
export function withheld(): HTMLElement {
  return el('span.differs.withheld', { title: 'not shared' }, el('span.hint', 'not shared'));
}
