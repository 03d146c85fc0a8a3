import type { DealSetSummaryFacts, PriceCheckFacts, SingleFacts } from './facts.js';

export const ROW_STATES = ['written', 'waiting', 'different_car', 'ended'] as const;
export type RowState = (typeof ROW_STATES)[number];

export const SECTIONS = ['ready', 'in_progress', 'inactive'] as const;
export type Section = (typeof SECTIONS)[number];

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

/** Whether the row takes part in the ranking. */
export function isRanked(row: PriceCheckFacts): boolean {
  return !row.isArchived && rowState(row) === 'written';
}

/**
 * The buyer may choose what she can name and unlock what she cannot, while it is ranked. So never both,
 * and neither once chosen (contract, 3.3).
 */
export function rowFlags(
  row: PriceCheckFacts,
): Record<'hidden' | 'canChoose' | 'canUnlock', boolean> {
  const hidden = !row.isSeen;
  const ranked = isRanked(row);
  return { hidden, canChoose: ranked && !hidden && !row.isChosen, canUnlock: ranked && hidden };
}

/**
 * A deal set is ready once a dealership has finished, and ends by its own end only. Prices in writing say nothing, be it
 * of all rows (contract, 3.2).
 */
export function dealSetSection(
  set: Pick<DealSetSummaryFacts, 'hasEnded' | 'hasFinished'>,
): Section {
  if (set.hasEnded) return 'inactive';
  return set.hasFinished ? 'ready' : 'in_progress';
}

/** A single request is ready once its dealership has finished, with or without a price in writing. */
export function singleSection(
  single: Pick<SingleFacts, 'hasEnded' | 'isArchived' | 'hasFinished'>,
): Section {
  if (single.hasEnded || single.isArchived) return 'inactive';
  return single.hasFinished ? 'ready' : 'in_progress';
}
