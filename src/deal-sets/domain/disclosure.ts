import type { ByPrincipalType } from '../../kernel/principal.js';

// What each type of principal may know of a buyer's requests. A further type has to be decided here.

/** A dealership's name, once the buyer unlocked or chose it. */
export const SEES_NAMES: ByPrincipalType<boolean> = { session: true, assistant: false };
/** The words of questions and drafts. */
export const SEES_WORDS: ByPrincipalType<boolean> = { session: true, assistant: false };
/** Columns that are withheld: the type's database role may select them. */
export const READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false };

/** Where each distance band begins, in miles. */
const LOWER_BOUNDS = {
  'Under 10 miles': 0,
  '10 to 25 miles': 10,
  '25 to 50 miles': 25,
  '50 to 100 miles': 50,
  'Over 100 miles': 100,
};
export type DistanceBand = keyof typeof LOWER_BOUNDS;
export const DISTANCE_BANDS = Object.keys(LOWER_BOUNDS) as readonly DistanceBand[];

/** The band a distance lies in, exactly 100 in that before the last; null when the distance is unknown. */
export function distanceBand(miles: number | null): DistanceBand | null {
  if (miles === null) return null;
  if (miles < 25) return miles < 10 ? 'Under 10 miles' : '10 to 25 miles';
  if (miles < 50) return '25 to 50 miles';
  return miles <= 100 ? '50 to 100 miles' : 'Over 100 miles';
}

/** Until the buyer has seen the dealership only where its band begins: an exact distance would single it out. */
export function shownDistanceMiles(miles: number | null, isSeen: boolean): number | null {
  const band = distanceBand(miles);
  return band === null || isSeen ? miles : LOWER_BOUNDS[band];
}
