import type { PriceCheckFacts, SingleFacts } from './facts.js';

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

export function isRanked(row: PriceCheckFacts): boolean {
  return !row.isArchived && rowState(row) === 'written';
}

type RowFlags = Record<'hidden' | 'canChoose' | 'canUnlock', boolean>;

/** The buyer may choose what she can name, unlock what she cannot, while it is ranked; neither once chosen (3.3). */
export function rowFlags(row: PriceCheckFacts): RowFlags {
  const hidden = !row.isSeen;
  const ranked = isRanked(row);
  return { hidden, canChoose: ranked && !hidden && !row.isChosen, canUnlock: ranked && hidden };
}

type SectionFacts = Pick<SingleFacts, 'hasEnded' | 'hasFinished'>;

/** Ready once a dealership has finished; ends by its own end only. Prices in writing say nothing (contract, 3.2). */
export function dealSetSection({ hasEnded, hasFinished }: SectionFacts): Section {
  if (hasEnded) return 'inactive';
  return hasFinished ? 'ready' : 'in_progress';
}

/** A single request is inactive once archived, too. */
export function singleSection(single: SectionFacts & Pick<SingleFacts, 'isArchived'>): Section {
  return single.isArchived ? 'inactive' : dealSetSection(single);
}
