import type { ByPrincipalType } from '../../kernel/principal.js';

/** What each type of principal may know of a buyer's requests. A further type has to be decided here. */

/** A dealership's name, once the buyer unlocked or chose it. */
export const SEES_NAMES: ByPrincipalType<boolean> = { session: true, assistant: false };

/** The words of questions and drafts. */
export const SEES_WORDS: ByPrincipalType<boolean> = { session: true, assistant: false };

/** Columns that are withheld: the type's database role may select them. */
export const READS_WITHHELD: ByPrincipalType<boolean> = { session: true, assistant: false };

/** Descending bounds, in miles, with the words for each band: exactly 100 lies in the band before the last. */
const BANDS = [
  { from: 50, band: '50 to 100 miles' },
  { from: 25, band: '25 to 50 miles' },
  { from: 10, band: '10 to 25 miles' },
  { from: 0, band: 'Under 10 miles' },
] as const;
const FARTHEST = { from: 100, band: 'Over 100 miles' } as const;

export type DistanceBand = (typeof BANDS | readonly [typeof FARTHEST])[number]['band'];

function bandOf(miles: number): { readonly from: number; readonly band: DistanceBand } {
  return miles > 100 ? FARTHEST : (BANDS.find(({ from }) => miles >= from) ?? BANDS[3]);
}

/** The band a distance lies in; null when the distance is unknown. */
export function distanceBand(miles: number | null): DistanceBand | null {
  return miles === null ? null : bandOf(miles).band;
}

/**
 * The distance as the buyer may see it: until she has seen the dealership only where its band begins,
 * since an exact distance would single it out.
 */
export function shownDistanceMiles(miles: number | null, isSeen: boolean): number | null {
  return miles === null || isSeen ? miles : bandOf(miles).from;
}
