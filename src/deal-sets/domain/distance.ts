/** Ascending lower bounds, in miles, with the words for each band. */
const BANDS = [
  { from: 0, band: 'Under 10 miles' },
  { from: 10, band: '10 to 25 miles' },
  { from: 25, band: '25 to 50 miles' },
  { from: 50, band: '50 to 100 miles' },
] as const;
/** The last band begins after 100 miles: exactly 100 lies in the one before. */
const FARTHEST = { from: 100, band: 'Over 100 miles' } as const;

export type DistanceBand = (typeof BANDS)[number]['band'] | (typeof FARTHEST)['band'];

function bandOf(miles: number): { readonly from: number; readonly band: DistanceBand } {
  if (miles > 100) return FARTHEST;
  return BANDS.findLast((band) => miles >= band.from) ?? BANDS[0];
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
  if (miles === null || isSeen) return miles;
  return bandOf(miles).from;
}
