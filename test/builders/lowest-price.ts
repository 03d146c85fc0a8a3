import type { PriceCheckFacts } from '../../src/deal-sets/domain/facts.js';

const isSameCar = ({ answer }: PriceCheckFacts): boolean => answer !== 'different_car';

/**
 * Returns whether a row is in a group; the price comes from the first group with a written price.
 */
const GROUPS_IN_ORDER: readonly ((row: PriceCheckFacts) => boolean)[] = [
  ({ state, isArchived }) => !isArchived && state === 'written',
  (row) => !row.isArchived && isSameCar(row),
  isSameCar,
];

/**
 * Returns the price that a request shows in the list: the hero's; without a hero the lowest in
 * writing among the ended rows for the same car, then among the archived ones for the same car. A
 * price for a different car never counts (contract, 3.1). Null exactly when no row has a price in
 * writing for the same car. A single request is its own only row.
 *
 * The definition in code: the list's SQL computes it, and property tests compare the two.
 */
export function lowestWrittenOtdCents(rows: readonly PriceCheckFacts[]): number | null {
  const priced = rows.filter(({ isWritten }) => isWritten);
  for (const isInGroup of GROUPS_IN_ORDER) {
    const prices = priced.filter(isInGroup).map((row) => row.otdCents ?? 0);
    if (prices.length > 0) return prices.reduce((lowest, price) => Math.min(lowest, price));
  }
  return null;
}
