import type { PriceCheckFacts, SingleFacts } from './facts.js';

/** The section of a request in the list (contract, section 3.2). */
export type Section = 'ready' | 'in_progress' | 'inactive';
/** Every section of the list. */
export const SECTIONS = ['ready', 'in_progress', 'inactive'] as const satisfies readonly Section[];

type RowFlagFacts = Pick<
  PriceCheckFacts,
  'answer' | 'isWritten' | 'isSeen' | 'isChosen' | 'isArchived'
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
  const isOffer = !row.isArchived && row.isWritten && row.answer !== 'different_car';
  return { hidden, canChoose: isOffer && !hidden && !row.isChosen, canUnlock: isOffer && hidden };
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
