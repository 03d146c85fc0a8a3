import type { PriceCheckFacts } from '../../src/deal-sets/domain/facts.js';
import { hasWrittenPrice, isRanked } from '../../src/deal-sets/domain/row-state.js';

const isSameCar = ({ answer }: PriceCheckFacts): boolean => answer !== 'different_car';

/** Which rows are asked for a price in writing: the first group that has one answers. */
const IN_ORDER: readonly ((row: PriceCheckFacts) => boolean)[] = [
  isRanked,
  (row) => !row.isArchived && isSameCar(row),
  isSameCar,
  () => true,
];

/**
 * The price that a deal set shows in the list: the hero's; without a hero the lowest in writing among the
 * ended rows for the same car, then among the archived ones for the same car, then among rows for a
 * different car. Null exactly when no row has a price in writing (contract, 3.2).
 *
 * The definition in code: the list's SQL computes it, and property tests compare the two.
 */
export function lowestWrittenOtdCents(rows: readonly PriceCheckFacts[]): number | null {
  const priced = rows.filter(hasWrittenPrice);
  for (const isAsked of IN_ORDER) {
    const prices = priced.filter(isAsked).map((row) => row.otdCents ?? 0);
    if (prices.length > 0) return prices.reduce((lowest, price) => Math.min(lowest, price));
  }
  return null;
}
