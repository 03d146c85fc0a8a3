import type { RankedGroup, Row } from '@deal-sets/client';

/** An offer with a price in writing, compared with the best offer of all trims. */
export interface Offer {
  readonly row: Row;
  readonly otdCents: number;
  /** How much more it costs than the best offer; 0 for the best and for its equals. */
  readonly gapCents: number;
  /** The gap as a share of the largest gap, from 0 to 1; null if no offer costs more than another. */
  readonly share: number | null;
}

/** Returns the offers of all trims as one ranking, the best first. */
export function offersOf(groups: readonly RankedGroup[]): Offer[] {
  const priced = groups
    .flatMap(({ rows }) => rows)
    .flatMap((row) => (row.otdCents === null ? [] : [{ row, otdCents: row.otdCents }]))
    // Equal prices keep the order of the response.
    .sort((left, right) => left.otdCents - right.otdCents);
  const lowest = priced[0]?.otdCents ?? 0;
  const largestGap = (priced.at(-1)?.otdCents ?? lowest) - lowest;
  return priced.map(({ row, otdCents }) => {
    const gapCents = otdCents - lowest;
    return { row, otdCents, gapCents, share: largestGap === 0 ? null : gapCents / largestGap };
  });
}
