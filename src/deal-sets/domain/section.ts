import type { DealSetSummaryFacts, SingleFacts } from './facts.js';

export type Section = 'ready' | 'in_progress' | 'inactive';

/**
 * A deal set is ready once a dealership has finished, or once prices are in writing and no row is waiting.
 * It ends by its own end only. Whether there is a price in writing says nothing by itself (contract, 3.2).
 */
export function dealSetSection(
  set: Pick<DealSetSummaryFacts, 'hasEnded' | 'hasFinished' | 'summary'>,
): Section {
  if (set.hasEnded) return 'inactive';
  const isComplete = set.summary.written > 0 && set.summary.waiting === 0;
  return set.hasFinished || isComplete ? 'ready' : 'in_progress';
}

/** A single request is ready once its dealership has finished, with or without a price in writing. */
export function singleSection(
  single: Pick<SingleFacts, 'hasEnded' | 'isArchived' | 'hasFinished'>,
): Section {
  if (single.hasEnded || single.isArchived) return 'inactive';
  return single.hasFinished ? 'ready' : 'in_progress';
}
