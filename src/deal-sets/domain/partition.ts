import type { PriceCheckFacts, SummaryFacts } from './facts.js';
import { compareUnranked, rank, type TrimGroup } from './ranking.js';
import { hasWrittenPrice, rowState } from './row-state.js';

/** The rows of a deal set, each in exactly one part. */
export interface Partition {
  /** Rows with a price in writing, in their groups: the first row of the first group is the hero. */
  readonly ranked: readonly TrimGroup[];
  readonly waiting: readonly PriceCheckFacts[];
  readonly differentCar: readonly PriceCheckFacts[];
  readonly ended: readonly PriceCheckFacts[];
  /** In any state; they count nowhere. */
  readonly archived: readonly PriceCheckFacts[];
}

/** Assigns each row to its group (contract, 3.1). All counts are lengths of these parts. */
export function partition(rows: readonly PriceCheckFacts[]): Partition {
  const parts: Record<'written' | keyof Omit<Partition, 'ranked'>, PriceCheckFacts[]> = {
    written: [],
    waiting: [],
    differentCar: [],
    ended: [],
    archived: [],
  };
  for (const row of rows) {
    const state = rowState(row);
    parts[row.isArchived ? 'archived' : state === 'different_car' ? 'differentCar' : state].push(
      row,
    );
  }
  const { written, waiting, differentCar, ended, archived } = parts;
  for (const part of [waiting, differentCar, ended, archived]) part.sort(compareUnranked);
  return { ranked: rank(written), waiting, differentCar, ended, archived };
}

/**
 * The six numbers of a partition. The function request_summary computes the same in the database; property tests
 * compare the two.
 */
export function summaryOf({ ranked, waiting, differentCar, ended }: Partition): SummaryFacts {
  const isClosedWithPrice = (row: PriceCheckFacts): boolean => row.ended === 'closed_with_price';
  return {
    written: ranked.reduce((count, group) => count + group.rows.length, 0),
    waiting: waiting.length,
    differentCar: differentCar.length,
    ended: ended.length,
    endedWithPrice: ended.filter((row) => isClosedWithPrice(row) || hasWrittenPrice(row)).length,
    closedWithPrice: ended.filter(isClosedWithPrice).length,
  };
}

/** The six numbers of a deal set's rows. */
export function summarize(rows: readonly PriceCheckFacts[]): SummaryFacts {
  return summaryOf(partition(rows));
}
