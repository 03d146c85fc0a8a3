import type { RankedGroup, Row } from '@deal-sets/client';
import { dollars } from './format.js';
import { percent, picture, svg } from './svg.js';

/** An offer with a price in writing. */
interface Offer {
  readonly row: Row;
  readonly otdCents: number;
  readonly isBest: boolean;
  /** The width of its label as a percentage of the width; 0 without one. */
  readonly labelWidth: number;
}

/** A line of the picture: offers of one trim that do not overlap. */
interface Line {
  /** The trim, on its first line. */
  readonly heading: string | undefined;
  readonly offers: readonly Offer[];
}

/** With more offers than this, only the best has a label. */
const LABELLED = 8;
/** The largest number of offers that a text alternative contains. */
const NAMED = 20;
/** The largest number of lines of a trim. Further offers overlap those of its last line. */
const MAX_LINES = 6;

/** The heights of the parts of the picture, in pixels. */
const BRACKET_HEIGHT = 30;
const HEADING_HEIGHT = 20;
const LINE_HEIGHT = 22;
const AXIS_HEIGHT = 24;
/** The space between a dot and its label, in pixels. */
const SPACE = 11;
/** The widths of labels with their space on a phone, as percentages of the width. */
const BEST_WIDTH = 36;
const LABEL_WIDTH = 20;
const AXIS_LABEL_WIDTH = 17;
/** The least distance of a dot or tick from either edge, as a percentage of the width. */
const MARGIN = 2;

/**
 * Draws the out-the-door prices of all trims on one axis: a dot for each offer, a tick at its list
 * price, a label at the best, and a bracket from there to the next offer.
 *
 * @returns null if there are fewer than two prices to compare.
 */
export function pricePicture(groups: readonly RankedGroup[]): SVGSVGElement | null {
  const trims = offersOf(groups);
  const offers = trims.flatMap((trim) => trim.offers).sort(byPrice);
  const [best, next] = offers;
  if (!best || !next) return null;
  const scale = scaleOf(offers);
  const drawn: SVGElement[] = [];
  let y = BRACKET_HEIGHT;
  for (const { heading, offers } of trims.flatMap((trim) => linesOf(trim, scale))) {
    if (heading !== undefined) {
      y += HEADING_HEIGHT;
      drawn.push(svg('text.heading', { x: 0, y: y - 5 }, heading));
    }
    const middle = y + LINE_HEIGHT / 2;
    for (const offer of offers) drawn.push(...drawnOffer(offer, best, middle, scale));
    y += LINE_HEIGHT;
  }
  return picture(y + AXIS_HEIGHT, alternativeOf(trims, best), [
    ...guide(scale(best.otdCents), y),
    ...bracket(best, next, scale),
    ...axis(best, offers.at(-1) ?? next, y, scale),
    ...drawn,
  ]);
}

/** The offers of one trim. */
interface Trim {
  readonly name: string;
  readonly offers: readonly Offer[];
}

function offersOf(groups: readonly RankedGroup[]): Trim[] {
  const trims = groups.map(({ trim, rows }) => ({
    name: trim ?? 'Unknown trim',
    offers: rows.flatMap((row) => (row.otdCents === null ? [] : [{ row, otdCents: row.otdCents }])),
  }));
  const all = trims.flatMap(({ offers }) => offers);
  const [best] = [...all].sort(byPrice);
  const labelWidth = all.length <= LABELLED ? LABEL_WIDTH : 0;
  return trims.map(({ name, offers }) => ({
    name,
    offers: offers.map((offer) => ({
      ...offer,
      isBest: offer === best,
      labelWidth: offer === best ? BEST_WIDTH : labelWidth,
    })),
  }));
}

const byPrice = (left: { otdCents: number }, right: { otdCents: number }): number =>
  left.otdCents - right.otdCents;

/** Returns the horizontal position of a price, as a percentage of the width. */
type Scale = (cents: number) => number;

/** Whether the label of an offer is on the left of its dot, because the list price is not. */
const isLabelLeft = ({ row, otdCents }: Offer): boolean =>
  row.listedAtCents !== null && row.listedAtCents > otdCents;

/** Creates a scale that covers every price and leaves room for the labels beside the dots. */
function scaleOf(offers: readonly Offer[]): Scale {
  const cents = offers.flatMap(({ row, otdCents }) => [otdCents, row.listedAtCents ?? otdCents]);
  const [low, high] = [Math.min(...cents), Math.max(...cents)];
  if (low === high) return () => 50;
  const share = (price: number): number => (price - low) / (high - low);
  const shares = offers.map((offer) => ({ ...offer, at: share(offer.otdCents) }));
  const ends = shares
    .filter((offer) => !isLabelLeft(offer) && offer.at > 0)
    .map(({ at, labelWidth }) => MARGIN + (100 - MARGIN - labelWidth) / at);
  const end = Math.min(100 - MARGIN, ...ends);
  const starts = shares
    .filter((offer) => isLabelLeft(offer) && offer.at < 1)
    .map(({ at, labelWidth }) => (labelWidth - at * end) / (1 - at));
  const start = Math.max(MARGIN, ...starts);
  return (price) => start + share(price) * (end - start);
}

/** Distributes the offers of a trim over lines, so that they do not overlap. */
function linesOf({ name, offers }: Trim, scale: Scale): Line[] {
  const lines: { offers: Offer[]; endsAt: number }[] = [];
  for (const offer of offers) {
    const [from, to] = extentOf(offer, scale);
    const free =
      lines.find(({ endsAt }) => endsAt < from) ??
      (lines.length < MAX_LINES ? undefined : lines.at(-1));
    const endsAt = to + MARGIN;
    if (free) {
      free.offers.push(offer);
      free.endsAt = Math.max(free.endsAt, endsAt);
    } else lines.push({ offers: [offer], endsAt });
  }
  return lines.map(({ offers }, at) => ({ heading: at === 0 ? name : undefined, offers }));
}

/** Returns where an offer begins and ends: its price with the label, and its list price. */
function extentOf(offer: Offer, scale: Scale): [from: number, to: number] {
  const { row, otdCents, labelWidth } = offer;
  const x = scale(otdCents);
  const label = isLabelLeft(offer) ? x - labelWidth : x + labelWidth;
  const places = [x, label, scale(row.listedAtCents ?? otdCents)];
  return [Math.min(...places), Math.max(...places)];
}

function drawnOffer(offer: Offer, best: Offer, y: number, scale: Scale): SVGElement[] {
  const { row, otdCents, isBest, labelWidth } = offer;
  const x = percent(scale(otdCents));
  const drawn: SVGElement[] = [];
  if (row.listedAtCents !== null) {
    const listX = percent(scale(row.listedAtCents));
    drawn.push(svg('line.to-list', { x1: listX, x2: x, y1: y, y2: y }));
    drawn.push(svg('line.list-price', { x1: listX, x2: listX, y1: y - 6, y2: y + 6 }));
  }
  const hint = svg('title', {}, `${row.label}: ${priceText(offer)}`);
  drawn.push(svg(isBest ? 'circle.best' : 'circle', { cx: x, cy: y, r: isBest ? 7 : 5 }, hint));
  if (labelWidth > 0) {
    const text = isBest ? `${dollars(otdCents)} best` : `+${dollars(otdCents - best.otdCents)}`;
    const place = isLabelLeft(offer)
      ? { x, dx: -SPACE, 'text-anchor': 'end' }
      : { x, dx: SPACE, 'text-anchor': 'start' };
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
  const edge = (x: number): SVGElement =>
    svg('line.axis', { x1: percent(x), x2: percent(x), y1: y - 3, y2: y + 3 });
  const label = (x: number, cents: number, anchor: string): SVGElement =>
    svg('text', { x: percent(x), y: y + 17, 'text-anchor': anchor }, dollars(cents));
  // The labels are on the outer sides of their marks, where there is room.
  const anchors = [
    from > AXIS_LABEL_WIDTH ? 'end' : 'start',
    to < 100 - AXIS_LABEL_WIDTH ? 'start' : 'end',
  ] as const;
  // On the same side, labels of close prices would be printed over each other.
  const isApart = anchors[0] !== anchors[1] || to - from > AXIS_LABEL_WIDTH;
  const hasBoth = lowest.otdCents < highest.otdCents && isApart;
  return [
    svg('line.axis', { x1: 0, x2: '100%', y1: y, y2: y }),
    edge(from),
    label(from, lowest.otdCents, anchors[0]),
    ...(hasBoth ? [edge(to), label(to, highest.otdCents, anchors[1])] : []),
  ];
}

const priceText = ({ row, otdCents }: Offer): string =>
  `${dollars(otdCents)} out the door` +
  (row.listedAtCents === null ? '' : `, listed at ${dollars(row.listedAtCents)}`);

/** Describes the picture: the best price, and the prices of each trim. */
function alternativeOf(trims: readonly Trim[], best: Offer): string {
  let left = NAMED;
  const prices = trims.flatMap(({ name, offers }) => {
    const named = offers.slice(0, left);
    left -= named.length;
    return named.length === 0 ? [] : [`${name}: ${named.map(priceText).join('; ')}.`];
  });
  const count = trims.reduce((sum, { offers }) => sum + offers.length, 0);
  return [
    `Prices on one axis. The best of all: ${dollars(best.otdCents)} out the door.`,
    ...prices,
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
