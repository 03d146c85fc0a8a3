import type { RecordKind } from './records/records.js';

/** The share of an import's duration that reading the file usually takes. */
export const READING_SHARE = 0.25;
/** The share that is usually done when the writing of the tables begins. */
export const WRITING_BEGINS = 0.3;
/** The share that is usually done when the tables are written, and the stamps are not. */
export const WRITING_ENDS = 0.83;

/**
 * How long writing a record takes, compared with a reply. A price check has more triggers, indexes
 * and foreign keys.
 */
const COSTS: Partial<Record<RecordKind, number>> = { dealSet: 3, priceCheck: 3 };

/** Returns the cost of writing these numbers of records, in replies. */
export function writingCost(ofKind: Readonly<Partial<Record<string, number>>>): number {
  return Object.entries(ofKind).reduce(
    (sum, [kind, count = 0]) => sum + count * (COSTS[kind as RecordKind] ?? 1),
    0,
  );
}
