import type { Row } from '@deal-sets/client';
import { dollars } from '@deal-sets/mcp-app/format.js';
import { percent, picture, svg } from '@deal-sets/mcp-app/svg.js';
import { miles } from './format.js';

/** The distance bands in order, with the miles at which each begins. All have the same width. */
const BANDS: Readonly<Record<NonNullable<Row['distanceBand']>, number>> = {
  'Under 10 miles': 0,
  '10 to 25 miles': 10,
  '25 to 50 miles': 25,
  '50 to 100 miles': 50,
  'Over 100 miles': 100,
};
const STARTS = Object.values(BANDS);
/** Where the last band ends in the picture, in miles. Greater distances are drawn there. */
const LAST_MILES = 200;

/** The heights of the parts of the picture, in pixels. */
const LINE_HEIGHT = 24;
const AXIS_HEIGHT = 22;
/** The place of the scale, as percentages of the width. The prices are on its left. */
const FROM = 18;
const WIDTH = 80;

/** Returns whether a row's distance can be drawn. */
export const hasDistance = ({ distanceBand, distanceMiles }: Row): boolean =>
  distanceBand !== null || distanceMiles !== null;

/**
 * Draws how far away the dealerships are, one line for each offer: a bar over the band of a
 * dealership that is still hidden, and a dot at the distance of one whose name the buyer sees.
 */
export function distancePicture(rows: readonly Row[]): SVGSVGElement {
  const bottom = rows.length * LINE_HEIGHT;
  return picture(bottom + AXIS_HEIGHT, alternativeOf(rows), [
    ...STARTS.flatMap((start, at) => boundary(start, placeOfBand(at), bottom)),
    ...rows.flatMap((row, at) => drawnRow(row, at * LINE_HEIGHT + LINE_HEIGHT / 2)),
  ]);
}

const placeOfBand = (at: number): number => FROM + (at * WIDTH) / STARTS.length;

/** Returns the horizontal position of a distance, as a percentage of the width. */
function placeOf(distanceMiles: number): number {
  const at = STARTS.filter((start) => start <= distanceMiles).length - 1;
  const start = STARTS[at] ?? 0;
  const end = STARTS[at + 1] ?? LAST_MILES;
  const share = Math.min((distanceMiles - start) / (end - start), 1);
  return placeOfBand(at) + (share * WIDTH) / STARTS.length;
}

function boundary(start: number, x: number, bottom: number): SVGElement[] {
  const at = percent(x);
  return [
    svg('line.guide', { x1: at, x2: at, y1: 0, y2: bottom }),
    svg(
      'text',
      { x: at, y: bottom + 16, 'text-anchor': 'middle' },
      start === 0 ? '0 mi' : String(start),
    ),
  ];
}

function drawnRow(row: Row, y: number): SVGElement[] {
  const { distanceBand, distanceMiles, otdCents, label } = row;
  const price = svg('text', { x: 0, y: y + 4 }, otdCents === null ? '–' : dollars(otdCents));
  const hint = svg('title', {}, `${label}: ${distanceText(row)}`);
  if (distanceMiles !== null && !row.hidden) {
    const x = placeOf(distanceMiles);
    const isLeft = x > 70;
    const place = isLeft ? { dx: -10, 'text-anchor': 'end' } : { dx: 10, 'text-anchor': 'start' };
    return [
      price,
      svg('circle.best', { cx: percent(x), cy: y, r: 6 }, hint),
      svg('text', { ...place, x: percent(x), y: y + 4 }, miles(distanceMiles)),
    ];
  }
  if (distanceBand === null) return [price];
  const x = placeOf(BANDS[distanceBand]);
  const width = percent(WIDTH / STARTS.length);
  return [price, svg('rect.band', { x: percent(x), y: y - 6, width, height: 12, rx: 3 }, hint)];
}

function distanceText({ distanceBand, distanceMiles, hidden }: Row): string {
  if (distanceMiles !== null && !hidden) return miles(distanceMiles);
  return distanceBand === null ? 'not known' : distanceBand;
}

function alternativeOf(rows: readonly Row[]): string {
  const distances = rows.map((row) => {
    const price = row.otdCents === null ? 'An offer' : dollars(row.otdCents);
    return `${price}: ${distanceText(row)}`;
  });
  return `Distances of the offers. ${distances.join('; ')}.`;
}
