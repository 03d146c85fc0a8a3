import type { ByPrincipalType } from '../../kernel/principal.js';

// What each type of principal may learn about a buyer's requests. A new type requires a decision
// here.

/** Whether the type may learn a dealership's name once the buyer has unlocked or chosen it. */
export const SEES_NAMES: ByPrincipalType<boolean> = { session: true, assistant: false };
/** Whether the type's database role may select withheld columns. */
export const READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false };

/** A range of distances; the list shows it in place of a distance. */
export type DistanceBand =
  'Under 10 miles' | '10 to 25 miles' | '25 to 50 miles' | '50 to 100 miles' | 'Over 100 miles';

/** Where each distance band begins, in miles. */
const LOWER_BOUNDS: Readonly<Record<DistanceBand, number>> = {
  'Under 10 miles': 0,
  '10 to 25 miles': 10,
  '25 to 50 miles': 25,
  '50 to 100 miles': 50,
  'Over 100 miles': 100,
};
/** The distance bands, nearest first. */
export const DISTANCE_BANDS = Object.keys(LOWER_BOUNDS) as readonly DistanceBand[];

/**
 * Returns the band of a distance in miles; null when the distance is unknown. Exactly 100 miles
 * belongs to `50 to 100 miles`.
 */
export function distanceBand(miles: number | null): DistanceBand | null {
  if (miles === null) return null;
  const hasBegun = (band: DistanceBand): boolean =>
    band === 'Over 100 miles' ? miles > LOWER_BOUNDS[band] : miles >= LOWER_BOUNDS[band];
  return DISTANCE_BANDS.findLast(hasBegun) ?? 'Under 10 miles';
}

/**
 * Returns the distance in miles as the buyer may see it: the exact distance once the dealership has
 * been unlocked or chosen, and the lower bound of its band until then, because an exact distance
 * would identify the dealership.
 */
export function shownDistanceMiles(miles: number | null, isSeen: boolean): number | null {
  const band = distanceBand(miles);
  return band === null || isSeen ? miles : LOWER_BOUNDS[band];
}
