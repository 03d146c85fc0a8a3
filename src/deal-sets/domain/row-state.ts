import type { PriceCheckFacts, SingleFacts } from './facts.js';

/** The state of a row (contract, section 3.1). */
export type RowState = 'written' | 'waiting' | 'different_car' | 'ended';
/** Every state of a row. */
export const ROW_STATES = [
  'written',
  'waiting',
  'different_car',
  'ended',
] as const satisfies readonly RowState[];

/** The section of a request in the list (contract, section 3.2). */
export type Section = 'ready' | 'in_progress' | 'inactive';
/** Every section of the list. */
export const SECTIONS = ['ready', 'in_progress', 'inactive'] as const satisfies readonly Section[];

type StateFacts = Pick<PriceCheckFacts, 'ended' | 'answer' | 'otdCents' | 'writtenAt'>;

/**
 * Whether there is a price in writing. A price without `writtenAt` does not count and is never
 * shown.
 */
export function hasWrittenPrice(row: Pick<StateFacts, 'otdCents' | 'writtenAt'>): boolean {
  return row.otdCents !== null && row.writtenAt !== null;
}

/**
 * Whether there is a price in writing for the requested car. A price for a different car is shown
 * on its row, but no count and no flag of the request includes it (contract, section 3.1).
 */
export function hasWrittenPriceForSameCar(
  row: Pick<StateFacts, 'answer' | 'otdCents' | 'writtenAt'>,
): boolean {
  return hasWrittenPrice(row) && row.answer !== 'different_car';
}

/**
 * Returns the state of a row. A row that has ended stays ended; otherwise, an answer for a
 * different car takes precedence over a written price (contract, section 3.1).
 */
export function rowState(row: StateFacts): RowState {
  if (row.ended !== null) return 'ended';
  if (row.answer === 'different_car') return 'different_car';
  return hasWrittenPrice(row) ? 'written' : 'waiting';
}

type RowFlagFacts = Pick<
  PriceCheckFacts,
  'answer' | 'otdCents' | 'writtenAt' | 'isSeen' | 'isChosen' | 'isArchived'
>;

/** What the buyer sees of a row and can do with it (contract, section 3.3). */
export interface RowFlags {
  /** The dealership's name is hidden from the buyer. */
  readonly hidden: boolean;
  /** The buyer can choose the row. */
  readonly canChoose: boolean;
  /** The buyer can unlock the row to see the dealership's name. */
  readonly canUnlock: boolean;
}

/**
 * Returns the flags of a row. A row that is not archived and has a written price for the same car
 * can be unlocked while its dealership is hidden, and chosen once it is unlocked. A chosen row can
 * be neither unlocked nor chosen. Whether the row or its deal set has ended does not matter
 * (contract, sections 2.4 and 3.3).
 */
export function rowFlags(row: RowFlagFacts): RowFlags {
  const hidden = !row.isSeen;
  const isOffer = !row.isArchived && hasWrittenPriceForSameCar(row);
  return { hidden, canChoose: isOffer && !hidden && !row.isChosen, canUnlock: isOffer && hidden };
}

/** A row with what its facts imply, which is computed once for each row of a response. */
export interface RowFacts extends PriceCheckFacts, RowFlags {
  readonly state: RowState;
  /** Whether there is a price in writing. */
  readonly isWritten: boolean;
  /** Whether the row is ranked: written and not archived. */
  readonly isRanked: boolean;
}

/** Computes what the facts of a row imply. */
export function rowFacts(row: PriceCheckFacts): RowFacts {
  const state = rowState(row);
  const isWritten = hasWrittenPrice(row);
  const isRanked = state === 'written' && !row.isArchived;
  return { ...row, ...rowFlags(row), state, isWritten, isRanked };
}

type SectionFacts = Pick<SingleFacts, 'hasEnded' | 'hasFinished'>;

/**
 * Returns the section of a deal set: ready once a dealership has finished, inactive only once the
 * deal set itself has ended. Written prices do not matter (contract, section 3.2).
 */
export function dealSetSection({ hasEnded, hasFinished }: SectionFacts): Section {
  if (hasEnded) return 'inactive';
  return hasFinished ? 'ready' : 'in_progress';
}

/** Returns the section of a single request. It is also inactive once it is archived. */
export function singleSection(single: SectionFacts & Pick<SingleFacts, 'isArchived'>): Section {
  return single.isArchived ? 'inactive' : dealSetSection(single);
}
