import type { PriceCheckFacts } from './facts.js';

export type RowState = 'written' | 'waiting' | 'different_car' | 'ended';

type StateFacts = Pick<PriceCheckFacts, 'ended' | 'answer' | 'otdCents' | 'writtenAt'>;

/** Whether there is a price in writing. A price without the time of its writing is not, and is never shown. */
export function hasWrittenPrice(row: Pick<StateFacts, 'otdCents' | 'writtenAt'>): boolean {
  return row.otdCents !== null && row.writtenAt !== null;
}

/** A thread that ended stays ended; an answer for another car outweighs its price (contract, 3.1). */
export function rowState(row: StateFacts): RowState {
  if (row.ended !== null) return 'ended';
  if (row.answer === 'different_car') return 'different_car';
  return hasWrittenPrice(row) ? 'written' : 'waiting';
}

/** The dealership answered for the car that was asked for, or has not said otherwise. */
export function isSameCar(row: Pick<StateFacts, 'answer'>): boolean {
  return row.answer !== 'different_car';
}

/** Whether the row takes part in the ranking. */
export function isRanked(row: PriceCheckFacts): boolean {
  return !row.isArchived && rowState(row) === 'written';
}

/**
 * The buyer may choose what she can name and unlock what she cannot, while it is ranked. So never both,
 * and neither once chosen (contract, 3.3).
 */
export function rowFlags(row: PriceCheckFacts): {
  hidden: boolean;
  canChoose: boolean;
  canUnlock: boolean;
} {
  const hidden = !row.isSeen;
  const ranked = isRanked(row);
  return { hidden, canChoose: ranked && !hidden && !row.isChosen, canUnlock: ranked && hidden };
}
