import { distanceBand, shownDistanceMiles } from './disclosure.js';

describe('distance', () => {
  it.each([
    [0, 'Under 10 miles', 0],
    [9.99, 'Under 10 miles', 0],
    [10, '10 to 25 miles', 10],
    [24.99, '10 to 25 miles', 10],
    [25, '25 to 50 miles', 25],
    [49.99, '25 to 50 miles', 25],
    [50, '50 to 100 miles', 50],
    [100, '50 to 100 miles', 50],
    [100.01, 'Over 100 miles', 100],
    [3000, 'Over 100 miles', 100],
  ])('puts %d miles into "%s"', (miles, band, lowerBound) => {
    expect(distanceBand(miles)).toBe(band);
    expect(shownDistanceMiles(miles, false)).toBe(lowerBound);
    expect(shownDistanceMiles(miles, true)).toBe(miles);
  });

  it('is null for an unknown distance', () => {
    expect([
      distanceBand(null),
      shownDistanceMiles(null, true),
      shownDistanceMiles(null, false),
    ]).toEqual([null, null, null]);
  });
});
