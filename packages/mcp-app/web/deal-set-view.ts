import type { DealSetResult, Hero, NeedsYouItem, Row } from '@deal-sets/client';
import { el } from './dom.js';
import { answerKind, dollars, writtenAgo } from './format.js';
import { offersTable } from './offers-table.js';
import { PARTNER_CONDITIONS } from './partner-conditions.js';
import { priceLegend, pricePicture } from './price-picture.js';

/**
 * Draws a deal set as an assistant may see it. Fields that are withheld from assistants are null in
 * the data and are not drawn. Only the words of questions and drafts have a line in their place.
 */
export function dealSetView(result: DealSetResult): HTMLElement[] {
  const { car, hero, needsYou, ranked, counts, everyoneElse } = result;
  const others = Object.values(everyoneElse).flat();
  const rows = [...ranked.flatMap((group) => group.rows), ...others];
  return [
    el('h1', {}, `${car.year} ${car.make} ${car.model}`),
    el('p.soft', {}, summary(counts)),
    ...(hero ? [bestPrice(hero)] : []),
    ...prices(result),
    ...(needsYou.length === 0
      ? []
      : [el('h2', {}, 'Needs you'), el('ul', {}, ...needsYou.map(needsYouItem))]),
    // Receives the focus when the focused button has been removed.
    el('h2', { id: 'offers', tabindex: '-1' }, 'Ranked offers'),
    ...(ranked.length === 0
      ? [el('p', {}, isOver(counts) ? NO_OPEN_OFFER : NO_PRICE_YET)]
      : ranked.map(offersTable)),
    ...STATES.flatMap(([state, name]) => otherRows(name, everyoneElse[state])),
    ...(rows.some(({ isVerifiedPartner }) => isVerifiedPartner === true)
      ? [el('p.soft.conditions', {}, PARTNER_CONDITIONS)]
      : []),
  ];
}

/** Whether there were prices, and no further one is expected. */
const isOver = ({ endedWithPrice, waiting }: DealSetResult['counts']): boolean =>
  endedWithPrice > 0 && waiting === 0;
const NO_PRICE_YET = 'No dealership has put a price for this car in writing yet.';
const NO_OPEN_OFFER = 'No offer for this car is open.';

/** The states of the rows that are not ranked, with the names that the view shows. */
const STATES = [
  ['waiting', 'Waiting for a price'],
  ['differentCar', 'Offered another car'],
  ['ended', 'Ended'],
  ['archived', 'Archived'],
] as const;

function bestPrice({ otdCents, label, writtenAt, gapToNextCents }: Hero): HTMLElement {
  const notes = [
    writtenAt !== null && writtenAgo(writtenAt),
    gapToNextCents !== null && `the next offer of this trim: +${dollars(gapToNextCents)}`,
  ].filter((note) => note !== false);
  return el(
    'section.hero',
    {},
    el('h2', {}, 'Best price, out the door'),
    el('p.price', {}, dollars(otdCents)),
    el('p', {}, label),
    notes.length > 0 && el('p.soft', {}, notes.join(' · ')),
  );
}

function prices({ ranked }: DealSetResult): HTMLElement[] {
  const drawn = pricePicture(ranked);
  return drawn ? [el('h2', {}, 'Which one?'), el('div', {}, drawn), priceLegend()] : [];
}

function needsYouItem(item: NeedsYouItem): HTMLElement {
  const noWords = el('span.note', {}, 'Your assistant does not get the words');
  if (item.kind === 'draft') {
    return el('li', {}, `A draft is ready to send: ${item.label}`, noWords);
  }
  const price = item.otdCents === null ? '' : ` · price: ${dollars(item.otdCents)} out the door`;
  const kind = el('span.note', {}, answerKind(item.answerMode));
  return el('li', {}, item.heading + price, kind, noWords);
}

/** Draws the rows of a state that is not ranked, folded. */
function otherRows(name: string, rows: readonly Row[]): HTMLElement[] {
  if (rows.length === 0) return [];
  const items = rows.map(({ label, statusLabel, otdCents, writtenAt, isVerifiedPartner }) =>
    el(
      'li',
      {},
      label,
      isVerifiedPartner === true && ' · Verified partner*',
      otdCents !== null && ` · ${dollars(otdCents)} out the door`,
      el('span.note', {}, [statusLabel, ...(writtenAt ? [writtenAgo(writtenAt)] : [])].join(', ')),
    ),
  );
  return [el('details', {}, el('summary', {}, `${name} (${rows.length})`), el('ul', {}, ...items))];
}

/** Formats the number of rows by state: `4 in writing, 2 waiting`. */
function summary(counts: DealSetResult['counts']): string {
  const states = [
    `${counts.written} in writing`,
    counts.waiting > 0 && `${counts.waiting} waiting`,
    counts.differentCar > 0 && `${counts.differentCar} for a different car`,
    counts.ended > 0 && `${counts.ended} ended`,
  ];
  return states.filter((state) => state !== false).join(', ');
}
