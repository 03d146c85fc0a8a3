import type { ByPrincipalType } from '../../kernel/principal.js';

/** What each type of principal may know of a buyer's requests. A further type has to be decided here. */

/** A dealership's name, once the buyer unlocked or chose it. */
export const SEES_NAMES: ByPrincipalType<boolean> = { session: true, assistant: false };

/** The words of questions and drafts. */
export const SEES_WORDS: ByPrincipalType<boolean> = { session: true, assistant: false };

/** Columns that are withheld: the type's database role may select them. */
export const READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false };

export const DISTANCE_BANDS = [
  'Under 10 miles',
  '10 to 25 miles',
  '25 to 50 miles',
  '50 to 100 miles',
  'Over 100 miles',
] as const;
export type DistanceBand = (typeof DISTANCE_BANDS)[number];

/** Where each band begins, in miles: exactly 100 lies in the band before the last. */
const BOUNDS = [0, 10, 25, 50, 100] as const;

function bandOf(miles: number): 0 | 1 | 2 | 3 | 4 {
  if (miles < 25) return miles < 10 ? 0 : 1;
  if (miles < 50) return 2;
  return miles <= 100 ? 3 : 4;
}

/** The band a distance lies in; null when the distance is unknown. */
export function distanceBand(miles: number | null): DistanceBand | null {
  return miles === null ? null : DISTANCE_BANDS[bandOf(miles)];
}

/**
 * The distance as the buyer may see it: until she has seen the dealership only where its band begins,
 * since an exact distance would single it out.
 */
export function shownDistanceMiles(miles: number | null, isSeen: boolean): number | null {
  return miles === null || isSeen ? miles : BOUNDS[bandOf(miles)];
}
