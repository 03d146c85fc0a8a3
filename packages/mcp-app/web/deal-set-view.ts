import type { DealSetResult, NeedsYouItem, Row } from '@deal-sets/client';
import { el, type Child } from './dom.js';
import { answerKind, dollars, writtenAgo } from './format.js';
import { offerRow, otherRow, type OfferTexts } from './offer-row.js';
import { offersOf } from './offers.js';
import { PARTNER_CONDITIONS } from './partner-conditions.js';

/**
 * Draws a deal set as an assistant may see it. Values that are withheld from assistants are null in
 * the data. One line below the offers names them, and a question or draft has “words not shared” in
 * their place.
 */
export function dealSetView(result: DealSetResult): HTMLElement[] {
  const { car, needsYou, ranked, counts, everyoneElse } = result;
  const offers = offersOf(ranked);
  const rows = [...offers.map(({ row }) => row), ...Object.values(everyoneElse).flat()];
  return [
    el('h1', {}, `${car.year} ${car.make} ${car.model}`),
    el('p.soft', {}, `${summary(counts)}. Prices are out the door, with taxes and fees.`),
    // Receives the focus when the focused button has been removed.
    el('h2', { id: 'offers', tabindex: '-1' }, 'Offers, best price first'),
    offers.length === 0
      ? el('p', {}, isOver(counts) ? NO_OPEN_OFFER : NO_PRICE_YET)
      : offerList(
          'ol',
          offers.map((offer, at) => offerRow(offer, at, offerTexts(offer.row))),
        ),
    el('p.soft', {}, 'Names, distances and messages: not shared with your assistant.'),
    ...(needsYou.length === 0
      ? []
      : [el('h2', {}, 'Needs you'), el('ul', {}, ...needsYou.map(needsYouItem))]),
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

// Safari reads a list without markers as a list only if it has the role.
const offerList = (tag: 'ol' | 'ul', rows: readonly Child[]): HTMLElement =>
  el(`${tag}.offers`, { role: 'list' }, ...rows);

function offerTexts(row: Row): OfferTexts {
  return { label: row.label, notes: [row.quotedTrim ?? 'trim unknown', ...commonNotes(row)] };
}

const commonNotes = ({ chosen, isVerifiedPartner, writtenAt }: Row): Child[] => [
  chosen && 'chosen',
  isVerifiedPartner === true && 'Verified partner*',
  writtenAt !== null && writtenAgo(writtenAt),
];

function needsYouItem(item: NeedsYouItem): HTMLElement {
  const noWords = el('span.note', {}, 'Words not shared with your assistant');
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
  const drawn = rows.map((row) =>
    otherRow(row, { label: row.label, notes: [row.statusLabel, ...commonNotes(row)] }),
  );
  const heading = el('summary', {}, `${name} (${rows.length})`);
  return [el('details', {}, heading, offerList('ul', drawn))];
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
