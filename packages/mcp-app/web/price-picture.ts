import type { RankedGroup, Row } from '@deal-sets/client';
import { dollars } from './format.js';
import { percent, picture, svg } from './svg.js';

/** An offer with a price in writing. */
interface Offer {
  readonly row: Row;
  readonly otdCents: number;
}

/** A line of the picture: offers of one trim that do not overlap. */
interface Line {
  /** The trim, on its first line. */
  readonly heading: string | undefined;
  readonly offers: readonly Offer[];
}

/** With more offers than this, only the best has a label. */
const LABELLED = 8;
/** The longest text alternative names this many offers. */
const NAMED = 20;
/** Of one trim. Further offers are drawn over those of its last line. */
const MAX_LINES = 6;

/** The heights of the parts of the picture, in pixels. */
const BRACKET_HEIGHT = 30;
const HEADING_HEIGHT = 20;
const LINE_HEIGHT = 22;
const AXIS_HEIGHT = 24;
/** The space between a dot and its label, in pixels. */
const SPACE = 11;

/**
 * Draws the out-the-door prices of all trims on one axis: a dot for each offer, a tick at its list
 * price, a label at the best, and a bracket from there to the next offer.
 *
 * @returns null if there is no price.
 */
export function pricePicture(groups: readonly RankedGroup[]): SVGSVGElement | null {
  const offers = groups.flatMap(({ rows }) => offersOf(rows)).sort(byPrice);
  const [best, next] = offers;
  if (!best) return null;
  const isLabelled = offers.length <= LABELLED;
  const scale = scaleOf(offers, isLabelled ? 80 : 96);
  const lines = groups.flatMap((group) => linesOf(group, scale, isLabelled));
  const drawn: SVGElement[] = [];
  let y = BRACKET_HEIGHT;
  for (const { heading, offers } of lines) {
    if (heading !== undefined) {
      y += HEADING_HEIGHT;
      drawn.push(svg('text.heading', { x: 0, y: y - 5 }, heading));
    }
    const middle = y + LINE_HEIGHT / 2;
    for (const offer of offers) drawn.push(...drawnOffer(offer, best, middle, scale, isLabelled));
    y += LINE_HEIGHT;
  }
  const height = y + AXIS_HEIGHT;
  return picture(height, alternativeOf(groups, best), [
    ...guide(scale(best.otdCents), y),
    ...(next ? bracket(best, next, scale) : []),
    ...axis(best, offers.at(-1) ?? best, y, scale),
    ...drawn,
  ]);
}

function offersOf(rows: readonly Row[]): Offer[] {
  return rows.flatMap((row) => (row.otdCents === null ? [] : [{ row, otdCents: row.otdCents }]));
}

const byPrice = (left: Offer, right: Offer): number => left.otdCents - right.otdCents;

/** Returns the horizontal position of a price, as a percentage of the width. */
type Scale = (cents: number) => number;

/** Creates the scale on which every price of the offers lies between 2 % and `end`. */
function scaleOf(offers: readonly Offer[], end: number): Scale {
  const cents = offers.flatMap(({ row, otdCents }) => [otdCents, row.listedAtCents ?? otdCents]);
  const [low, high] = [Math.min(...cents), Math.max(...cents)];
  const width = high - low;
  return (cents) => (width === 0 ? (2 + end) / 2 : 2 + ((cents - low) / width) * (end - 2));
}

/** Distributes the offers of a trim over lines, so that they do not overlap. */
function linesOf({ trim, rows }: RankedGroup, scale: Scale, isLabelled: boolean): Line[] {
  const lines: { offers: Offer[]; endsAt: number }[] = [];
  for (const offer of offersOf(rows)) {
    const [from, to] = extentOf(offer, scale);
    const free =
      lines.find(({ endsAt }) => endsAt < from) ??
      (lines.length < MAX_LINES ? undefined : lines.at(-1));
    // A label needs about as much space as is left beside the last dot.
    const endsAt = to + (isLabelled ? 20 : 2);
    if (free) {
      free.offers.push(offer);
      free.endsAt = Math.max(free.endsAt, endsAt);
    } else lines.push({ offers: [offer], endsAt });
  }
  return lines.map(({ offers }, at) => ({
    heading: at === 0 ? (trim ?? 'Unknown trim') : undefined,
    offers,
  }));
}

/** Returns where an offer begins and ends: at its price and its list price. */
function extentOf({ row, otdCents }: Offer, scale: Scale): [from: number, to: number] {
  const places = [scale(otdCents), scale(row.listedAtCents ?? otdCents)];
  return [Math.min(...places), Math.max(...places)];
}

function drawnOffer(
  offer: Offer,
  best: Offer,
  y: number,
  scale: Scale,
  isLabelled: boolean,
): SVGElement[] {
  const { row, otdCents } = offer;
  const x = percent(scale(otdCents));
  const isBest = row === best.row;
  const drawn: SVGElement[] = [];
  if (row.listedAtCents !== null) {
    const listX = percent(scale(row.listedAtCents));
    drawn.push(svg('line.to-list', { x1: listX, x2: x, y1: y, y2: y }));
    drawn.push(svg('line.list-price', { x1: listX, x2: listX, y1: y - 6, y2: y + 6 }));
  }
  const hint = svg('title', {}, `${row.label}: ${priceText(offer)}`);
  drawn.push(svg(isBest ? 'circle.best' : 'circle', { cx: x, cy: y, r: isBest ? 7 : 5 }, hint));
  if (isBest || isLabelled) {
    const text = isBest ? `${dollars(otdCents)} best` : `+${dollars(otdCents - best.otdCents)}`;
    const [from, to] = extentOf(offer, scale);
    // A label that would reach beyond the right edge stands on the left.
    const isLeft = to > 80;
    const place = isLeft
      ? { x: percent(from), dx: -SPACE, 'text-anchor': 'end' }
      : { x: percent(to), dx: SPACE, 'text-anchor': 'start' };
    drawn.push(svg(isBest ? 'text.best' : 'text', { ...place, y: y + 4 }, text));
  }
  return drawn;
}

/** Draws the line at the best price, from which the other prices are read. */
function guide(x: number, bottom: number): SVGElement[] {
  const at = percent(x);
  return [svg('line.guide', { x1: at, x2: at, y1: BRACKET_HEIGHT - 8, y2: bottom })];
}

/** Draws the difference between the best offer and the next. */
function bracket(best: Offer, next: Offer, scale: Scale): SVGElement[] {
  const difference = next.otdCents - best.otdCents;
  if (difference === 0) return [];
  const [from, to] = [scale(best.otdCents), scale(next.otdCents)];
  const [x1, x2] = [percent(from), percent(to)];
  const [y1, y2] = [BRACKET_HEIGHT - 12, BRACKET_HEIGHT - 6];
  return [
    svg('line.bracket', { x1, x2, y1, y2: y1 }),
    ...[x1, x2].map((x) => svg('line.bracket', { x1: x, x2: x, y1, y2 })),
    svg(
      'text',
      { ...(from > 50 ? { x: x2, 'text-anchor': 'end' } : { x: x1 }), y: y1 - 5 },
      `+${dollars(difference)} to the next offer`,
    ),
  ];
}

function axis(lowest: Offer, highest: Offer, y: number, scale: Scale): SVGElement[] {
  const [from, to] = [scale(lowest.otdCents), scale(highest.otdCents)];
  const label = (x: number, cents: number, anchor: string): SVGElement =>
    svg('text', { x: percent(x), y: y + 17, 'text-anchor': anchor }, dollars(cents));
  const edge = (x: number): SVGElement =>
    svg('line.axis', { x1: percent(x), x2: percent(x), y1: y - 3, y2: y + 3 });
  return [
    svg('line.axis', { x1: 0, x2: '100%', y1: y, y2: y }),
    edge(from),
    label(from, lowest.otdCents, from > 50 ? 'end' : 'start'),
    // Two prices that are close to each other would be printed over each other.
    ...(to - from > 30 ? [edge(to), label(to, highest.otdCents, 'end')] : []),
  ];
}

const priceText = ({ row, otdCents }: Offer): string =>
  `${dollars(otdCents)} out the door` +
  (row.listedAtCents === null ? '' : `, listed at ${dollars(row.listedAtCents)}`);

/** Describes the picture: the best price, and the prices of each trim. */
function alternativeOf(groups: readonly RankedGroup[], best: Offer): string {
  let left = NAMED;
  const trims = groups.flatMap(({ trim, rows }) => {
    const named = offersOf(rows).slice(0, left);
    left -= named.length;
    return named.length === 0
      ? []
      : [`${trim ?? 'Unknown trim'}: ${named.map(priceText).join('; ')}.`];
  });
  const count = groups.reduce((sum, { rows }) => sum + offersOf(rows).length, 0);
  return [
    `Prices on one axis. The best of all: ${dollars(best.otdCents)} out the door.`,
    ...trims,
    count > NAMED && `And ${count - NAMED} more, in the tables.`,
  ]
    .filter((text) => text !== false)
    .join(' ');
}

/** Creates the line below the picture that explains its marks. */
export function priceLegend(): HTMLElement {
  const key = (mark: SVGElement): SVGElement =>
    svg('svg.picture.key', { width: 14, height: 14, 'aria-hidden': 'true' }, mark);
  const legend = document.createElement('p');
  legend.classList.add('picture-legend');
  legend.append(
    key(svg('circle', { cx: 7, cy: 7, r: 5 })),
    ' price out the door ',
    key(svg('line.list-price', { x1: 7, x2: 7, y1: 1, y2: 13 })),
    ' list price',
  );
  return legend;
}
