import type { DealSetSummaryFacts, SingleFacts } from './facts.js';
import { hasWrittenPrice } from './row-state.js';

export type Section = 'ready' | 'in_progress' | 'inactive';

/** A deal set is ready once prices are in and nobody is left to wait for. */
export function dealSetSection(set: Pick<DealSetSummaryFacts, 'hasEnded' | 'summary'>): Section {
  if (set.hasEnded) return 'inactive';
  return set.summary.written > 0 && set.summary.waiting === 0 ? 'ready' : 'in_progress';
}

type SingleStanding = Pick<
  SingleFacts,
  'hasEnded' | 'isArchived' | 'hasFinished' | 'otdCents' | 'writtenAt'
>;

/** A single request is ready once its dealership has finished with a price in writing. */
export function singleSection(single: SingleStanding): Section {
  if (single.hasEnded || single.isArchived) return 'inactive';
  return single.hasFinished && hasWrittenPrice(single) ? 'ready' : 'in_progress';
}
