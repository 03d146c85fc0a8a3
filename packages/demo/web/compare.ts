import { el, type Child } from './dom.js';

/** The principal whose view is drawn. */
export type Who = 'buyer' | 'assistant';

/** Whether two values from JSON responses are equal. */
export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * Draws values of one side. On the assistant's side, it says so in words where the buyer received a
 * value, and marks a description in place of the value. It says and marks nothing if `isComparing`
 * is false because the other side's data is not available.
 */
export class Comparison {
  constructor(
    readonly who: Who,
    private readonly isComparing: boolean,
  ) {}

  /** Whether only the buyer received the value, and this is the assistant's side. */
  isWithheld(mine: unknown, other: unknown): boolean {
    const isComparing = this.isComparing && this.who === 'assistant';
    return isComparing && isNothing(mine) && !isNothing(other);
  }

  /**
   * Returns the value as a node, or null if there is nothing to show.
   *
   * @param name what the value is, for the words in its place: `distance`.
   */
  value<T>(
    name: string,
    mine: T | null | undefined,
    other: T | null | undefined,
    show: (value: T) => Child = (value) => String(value),
  ): HTMLElement | null {
    if (mine === null || mine === undefined) {
      return this.isWithheld(mine, other) ? notShared(`${name} not shared`) : null;
    }
    const isDescribed = this.isComparing && this.who === 'assistant' && !isSame(mine, other);
    if (!isDescribed) return el('span', show(mine));
    return el(
      'span',
      el('span.described', show(mine)),
      el('span.hint', ' (in place of the value that she sees)'),
    );
  }
}

/** Creates the words in place of a withheld value. */
export const notShared = (words: string): HTMLElement => el('span.not-shared', words);
