import type { DealSetResult, Hero, NeedsYouItem, Row, SingleEntry } from '@deal-sets/client';
import { ago, answerKind, dollars, writtenAgo } from '@deal-sets/mcp-app/format.js';
import { offerRow, otherRow, type OfferTexts } from '@deal-sets/mcp-app/offer-row.js';
import { offersOf } from '@deal-sets/mcp-app/offers.js';
import { PARTNER_CONDITIONS } from '@deal-sets/mcp-app/partner-conditions.js';
import { itemKey, type Changes } from './changes.js';
import { notShared, type Comparison } from './compare.js';
import { el, type Child } from './dom.js';
import { carName, miles, plural, SECTION_NAMES } from './format.js';
import { rowsByKey } from './rows.js';

/** A deal set as one side received it, and as the other side received it. */
export interface DealSetView {
  readonly mine: DealSetResult;
  readonly other: DealSetResult | null;
  readonly changes: Changes;
}

/** Draws a deal set: the car, the ranked offers, what needs the buyer, and everyone else. */
export function dealSetView(compare: Comparison, view: DealSetView): Child {
  return [
    carHeading(compare, view),
    ranking(compare, view),
    needsYou(compare, view),
    everyoneElse(compare, view),
  ];
}

/** A fact about the request: its name, and its text on either side; null where it is not known. */
type Fact = readonly [name: string, mine: string | null, other: string | null];

function carHeading(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const fact = (name: string, textOf: (result: DealSetResult) => string | null): Fact => [
    name,
    textOf(mine),
    other && textOf(other),
  ];
  const facts = [
    fact('trim', ({ car }) => car.trim),
    fact('colors', ({ car }) =>
      joined(car.exteriorColor, car.interiorColor && `${car.interiorColor} inside`),
    ),
    fact('drivetrain', ({ car }) => joined(car.drivetrain, car.powertrain)),
    fact('ZIP code', ({ search }) => search.buyerZip),
    fact('radius', ({ search: { radiusMiles } }) =>
      radiusMiles === null ? null : `within ${miles(radiusMiles)}`,
    ),
    fact('dealership count', ({ counts }) =>
      counts.total === null ? null : plural(counts.total, 'dealership'),
    ),
  ];
  const withheld = facts.filter(([, mine, other]) => compare.isWithheld(mine, other));
  return changes.mark(
    el(
      'section.car.block',
      el('h3', carName(mine.car)),
      el(
        'p.facts',
        facts.flatMap(([, mine]) => mine ?? []).join(' · '),
        withheld.length > 0 &&
          notShared(`Not shared of the request: ${withheld.map(([name]) => name).join(', ')}`),
      ),
    ),
    'car',
  );
}

/** Joins the texts that are known; null if none is. */
const joined = (...texts: readonly (string | null)[]): string | null =>
  texts.filter(Boolean).join(', ') || null;

/** Draws the offers of all trims as one list. Each row is its part of the picture. */
function ranking(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const others = rowsByKey(other);
  const offers = offersOf(mine.ranked);
  const rows = offers.map((offer, at) => {
    const { row } = offer;
    const texts = offerTexts(compare, row, others.get(row.rowKey), mine.hero);
    return changes.mark(offerRow(offer, at, texts), row.rowKey);
  });
  return el(
    'section.ranking.block',
    el('h4', 'Offers with taxes and fees', count(offers.length)),
    offers.length === 0
      ? el('p.empty', isOver(mine) ? NO_OPEN_OFFER : NO_PRICE_YET)
      : offerList('ol', rows),
    partnerConditions(offers.map(({ row }) => row)),
  );
}

const NO_OPEN_OFFER = 'No offer is open. The prices of ended offers are under “Ended”.';
const NO_PRICE_YET = 'No dealership has put a price for this car in writing yet.';

/** Whether there were prices, and no further one is expected. */
const isOver = ({ counts }: DealSetResult): boolean =>
  counts.endedWithPrice > 0 && counts.waiting === 0;

// Safari reads a list without markers as a list only if it has the role.
const offerList = (tag: 'ol' | 'ul', rows: readonly HTMLElement[]): HTMLElement =>
  el(`${tag}.offers`, { role: 'list' }, rows);

function offerTexts(
  compare: Comparison,
  row: Row,
  other: Row | undefined,
  hero: Hero | null,
): OfferTexts {
  return {
    label: compare.value('name', row.label, other?.label),
    notes: [
      row.quotedTrim ?? 'trim unknown',
      distance(compare, row, other),
      ...badges(row),
      hero?.rowKey === row.rowKey && partsOfPrice(hero),
      row.writtenAt !== null && writtenAgo(row.writtenAt),
    ],
  };
}

/**
 * Draws a distance as exactly as it is known: in miles, or while the dealership is hidden as a
 * range, of which `distanceMiles` is then the lower end.
 */
function distance(compare: Comparison, mine: Row, other: Row | undefined): HTMLElement | null {
  const textOf = ({ hidden, distanceMiles, distanceBand }: Row): string | null =>
    hidden || distanceMiles === null ? distanceBand : miles(distanceMiles);
  return compare.value('distance', textOf(mine), other && textOf(other));
}

/**
 * Returns what applies to a row. A false partner flag is not shown, because it may also mean that
 * the status is not known yet.
 */
const badges = ({ chosen, hidden, isVerifiedPartner }: Row): (string | false)[] => [
  chosen && 'chosen',
  !chosen && !hidden && 'unlocked',
  isVerifiedPartner === true && 'Verified partner*',
];

const partsOfPrice = ({ sellingPriceCents, taxesAndFeesCents }: Hero): string | false =>
  sellingPriceCents !== null &&
  taxesAndFeesCents !== null &&
  `${dollars(sellingPriceCents)} and ${dollars(taxesAndFeesCents)} taxes and fees`;

function partnerConditions(rows: readonly Row[]): Child {
  const isNeeded = rows.some(({ isVerifiedPartner }) => isVerifiedPartner === true);
  return isNeeded && el('p.conditions', PARTNER_CONDITIONS);
}

function needsYou(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const others = other?.needsYou ?? [];
  const herRows = rowsByKey(compare.who === 'buyer' ? mine : other);
  return el(
    'section.needs.block',
    el('h4', 'Waiting for her answer', count(mine.needsYou.length)),
    mine.needsYou.length === 0
      ? el('p.empty', 'Nothing is waiting for an answer.')
      : el(
          'ul.items',
          mine.needsYou.map((item) =>
            changes.mark(
              el(
                'li.item.block',
                needsYouItem(compare, item, sameItem(item, others), herRows.get(item.rowKey)),
              ),
              itemKey(item),
            ),
          ),
        ),
  );
}

/** Returns the item that the other side received for the same question or draft. */
function sameItem(item: NeedsYouItem, others: readonly NeedsYouItem[]): NeedsYouItem | undefined {
  return others.find((other) => itemKey(other) === itemKey(item));
}

function needsYouItem(
  compare: Comparison,
  item: NeedsYouItem,
  other: NeedsYouItem | undefined,
  herRow: Row | undefined,
): Child {
  if (item.kind === 'question') {
    const same = other?.kind === 'question' ? other : undefined;
    return [
      el('p.item-head', compare.value('heading', item.heading, same?.heading)),
      el('p.answer-kind', answerKind(item.answerMode)),
      words(compare, item.question, same?.question, herRow),
    ];
  }
  const same = other?.kind === 'draft' ? other : undefined;
  return [
    el('p.item-head', 'A draft is ready to send: ', compare.value('car', item.label, same?.label)),
    words(compare, item.preview, same?.preview, herRow),
  ];
}

/**
 * Draws the words of an item. If the buyer may not read them yet, her half has a line in their
 * place. The assistant never gets them, so its half says so in both cases.
 */
function words(
  compare: Comparison,
  mine: string | null,
  other: string | null | undefined,
  herRow: Row | undefined,
): Child {
  const unread = whyUnread(herRow);
  if (compare.who === 'assistant') {
    return el('p.words', compare.value('words', mine, other ?? unread));
  }
  return el(mine === null ? 'p.words.unread' : 'p.words', mine ?? unread);
}

/**
 * Returns the line in place of words that the buyer may not read while the row is hidden. Some rows
 * cannot be unlocked: they have no price in writing, or offer another car.
 */
function whyUnread(row: Row | undefined): string | null {
  if (row?.hidden !== true) return null;
  return row.canUnlock
    ? 'Unlock this dealership to read it'
    : 'Not shown while this dealership is hidden';
}

const FOLDED = [
  ['waiting', 'Waiting for a price'],
  ['differentCar', 'Offered another car'],
  ['ended', 'Ended'],
  ['archived', 'Archived'],
] as const;

function everyoneElse(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const others = rowsByKey(other);
  return FOLDED.map(([key, name]) => {
    const rows: readonly Row[] = mine.everyoneElse[key];
    if (rows.length === 0) return null;
    const drawn = rows.map((row) => {
      const { label, notes } = offerTexts(compare, row, others.get(row.rowKey), null);
      const texts = { label, notes: [row.statusLabel, ...notes] };
      return changes.mark(otherRow(row, texts), row.rowKey);
    });
    return el(
      'details.folded.block',
      { 'data-key': key },
      el('summary', { 'data-key': `${key}-summary` }, name, count(rows.length)),
      offerList('ul', drawn),
      partnerConditions(rows),
    );
  });
}

const count = (number: number): Child => el('span.count', number);

/** Draws a request to one dealership. Such a request has only its list entry and no result. */
export function singleView(
  compare: Comparison,
  mine: SingleEntry,
  other: SingleEntry | undefined,
): Child {
  const { car, dealerLabel, lowestWrittenOtdCents: price, latestActivityAt: latest } = mine;
  const facts = [
    compare.value('trim', car.trim, other?.car.trim),
    SECTION_NAMES[mine.section],
    latest !== null && `last activity ${ago(latest)}`,
    mine.needsYou > 0 && `${plural(mine.needsYou, 'question')} waiting`,
  ].filter((fact) => fact !== null && fact !== false);
  return [
    el(
      'section.car.block',
      el('h3', carName(car)),
      el(
        'p.facts',
        facts.flatMap((fact, at) => (at === 0 ? [fact] : [' · ', fact])),
      ),
    ),
    el(
      'section.ranking.block',
      el('h4', 'Written price with taxes and fees'),
      el(
        'p.single-label',
        compare.value('name', dealerLabel, other?.dealerLabel) ??
          'Name hidden until she unlocks or chooses the dealership.',
      ),
      price === null
        ? el('p.empty', 'No written price yet.')
        : el('p.single-price', dollars(price)),
    ),
  ];
}
