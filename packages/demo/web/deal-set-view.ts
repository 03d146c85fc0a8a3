import type { DealSetResult, Hero, NeedsYouItem, Row, SingleEntry } from '@deal-sets/client';
import { ago, answerKind, dollars } from '@deal-sets/mcp-app/format.js';
import { priceLegend, pricePicture } from '@deal-sets/mcp-app/price-picture.js';
import { itemKey, type Changes } from './changes.js';
import { withheld, type Comparison } from './compare.js';
import { distancePicture, hasDistance } from './distance-picture.js';
import { el, type Child } from './dom.js';
import { carName, miles, plural, SECTION_NAMES } from './format.js';
import { offersTable, partnerConditions } from './offers-table.js';
import { rowsByKey } from './rows.js';

/** A deal set as one side received it, and as the other side received it. */
export interface DealSetView {
  readonly mine: DealSetResult;
  readonly other: DealSetResult | null;
  readonly changes: Changes;
}

/** Draws a deal set: what needs the buyer, the best price, the ranking, and everyone else. */
export function dealSetView(compare: Comparison, view: DealSetView): Child {
  return [
    carHeading(compare, view),
    needsYou(compare, view),
    bestPrice(compare, view),
    prices(view),
    distances(compare, view),
    ranking(compare, view),
    everyoneElse(compare, view),
  ];
}

function carHeading(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const { car, search, counts } = mine;
  const facts = [
    fact('Trim', compare.value(car.trim, other?.car.trim)),
    fact('Exterior', compare.value(car.exteriorColor, other?.car.exteriorColor)),
    fact('Interior', compare.value(car.interiorColor, other?.car.interiorColor)),
    fact('Drivetrain', compare.value(car.drivetrain, other?.car.drivetrain)),
    fact('Powertrain', compare.value(car.powertrain, other?.car.powertrain)),
    fact('Near ZIP', compare.value(search.buyerZip, other?.search.buyerZip)),
    fact('Within', compare.value(search.radiusMiles, other?.search.radiusMiles, miles)),
    fact(
      'Found',
      compare.value(counts.total, other?.counts.total, (total) => plural(total, 'dealership')),
    ),
  ].filter((fact) => fact !== null);
  const isWithheld = (fact: HTMLElement): boolean => fact.querySelector('.withheld') !== null;
  const withheldCount = facts.filter(isWithheld).length;
  return changes.mark(
    el(
      'section.car.block',
      el('h3', carName(car)),
      el('p.header-line', compare.value(mine.headerLine, other?.headerLine)),
      el(
        'dl.facts',
        facts.filter((fact) => !isWithheld(fact)),
      ),
      withheldCount > 0 &&
        el(
          'p.not-shared',
          withheld(),
          `${plural(withheldCount, 'fact')} about the car and the location: not shared`,
        ),
    ),
    'car',
  );
}

function needsYou(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const others = other?.needsYou ?? [];
  const herRows = rowsByKey(compare.who === 'buyer' ? mine : other);
  return el(
    'section.needs.block',
    el('h4', 'Waiting for her answer', count(mine.needsYou.length)),
    mine.needsYou.length === 0
      ? empty('Nothing is waiting for an answer.')
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
      el('p.item-head', compare.value(item.heading, same?.heading)),
      el('p.answer-kind', compare.value(item.answerMode, same?.answerMode, answerKind)),
      words(compare, item.question, same?.question, herRow),
    ];
  }
  const same = other?.kind === 'draft' ? other : undefined;
  return [
    el('p.item-head', 'A draft is ready to send: ', compare.value(item.label, same?.label)),
    words(compare, item.preview, same?.preview, herRow),
  ];
}

/**
 * Draws the words of an item. If the buyer may not read them yet, her half has a line in their
 * place. The assistant never gets them, so its half has a bar in both cases.
 */
function words(
  compare: Comparison,
  mine: string | null,
  other: string | null | undefined,
  herRow: Row | undefined,
): Child {
  const unread = whyUnread(herRow);
  if (compare.who === 'assistant') return el('p.words', compare.value(mine, other ?? unread));
  return el(mine === null ? 'p.words.unread' : 'p.words', compare.value(mine ?? unread, other));
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

function bestPrice(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const { hero } = mine;
  if (!hero) {
    const text = isOver(mine)
      ? 'No offer is open. The prices of ended offers are under “Ended”.'
      : 'No price in writing yet. The lowest one for this car appears here.';
    return el('section.hero.block', el('h4', 'Best price'), empty(text));
  }
  const section = el('section.hero.block', heroPrice(compare, hero, other?.hero ?? null));
  return changes.mark(section, 'hero');
}

/** Whether there were prices, and no further one is expected. */
const isOver = ({ counts }: DealSetResult): boolean =>
  counts.endedWithPrice > 0 && counts.waiting === 0;

function heroPrice(compare: Comparison, hero: Hero, other: Hero | null): Child {
  const labelled = (name: string, value: Child, isGood = false): Child =>
    value !== null && el('div', el('dt', name), el('dd', { class: isGood && 'good' }, value));
  const below =
    hero.listedAtCents !== null && hero.sellingPriceCents !== null
      ? hero.listedAtCents - hero.sellingPriceCents
      : 0;
  return [
    el('h4', 'Best price, out the door'),
    el('p.price', dollars(hero.otdCents)),
    el('p.offer', compare.value(hero.label, other?.label)),
    el(
      'dl.parts',
      labelled('Selling price', hero.sellingPriceCents && dollars(hero.sellingPriceCents)),
      labelled('Taxes and fees', hero.taxesAndFeesCents && dollars(hero.taxesAndFeesCents)),
      labelled('Below list price', below > 0 ? dollars(below) : null, true),
      labelled(
        'Next of this trim',
        hero.gapToNextCents === null ? null : `+${dollars(hero.gapToNextCents)}`,
      ),
      labelled('Distance', compare.value(hero.distanceBand, other?.distanceBand)),
    ),
  ];
}

function prices({ mine: { ranked } }: DealSetView): Child {
  const drawn = pricePicture(ranked);
  return drawn && el('section.prices.block', el('h4', 'Which one?'), drawn, priceLegend());
}

/** Draws the distances of the offers. On the assistant's side, a bar takes their place. */
function distances(compare: Comparison, { mine, other }: DealSetView): Child {
  const rowsOf = (result: DealSetResult | null): readonly Row[] =>
    (result?.ranked ?? [])
      .flatMap(({ rows }) => rows)
      .sort((left, right) => (left.otdCents ?? Infinity) - (right.otdCents ?? Infinity));
  const mineWith = rowsOf(mine).filter(hasDistance);
  const othersWith = rowsOf(other).filter(hasDistance);
  const drawn = compare.value(
    mineWith.length === 0 ? null : mineWith,
    othersWith.length === 0 ? null : othersWith,
    distancePicture,
  );
  return drawn && el('section.distances.block', el('h4', 'How far away?'), drawn);
}

function ranking(compare: Comparison, { mine, other, changes }: DealSetView): Child {
  const others = rowsByKey(other);
  return el(
    'section.ranking.block',
    el('h4', 'Ranked offers', count(mine.counts.written)),
    mine.ranked.length === 0
      ? empty(
          isOver(mine)
            ? 'No offer for this car is open.'
            : 'No dealership has put a price for this car in writing yet.',
        )
      : mine.ranked.map((group) =>
          offersTable(compare, {
            caption: group.trim ?? 'Unknown trim',
            rows: group.rows,
            others,
            changes,
            isRanked: true,
          }),
        ),
    partnerConditions(mine.ranked.flatMap(({ rows }) => rows)),
  );
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
    return el(
      'details.folded.block',
      { 'data-key': key },
      el('summary', { 'data-key': `${key}-summary` }, name, count(rows.length)),
      offersTable(compare, {
        caption: `${name}: ${plural(rows.length, 'dealership')}`,
        rows,
        others,
        changes,
        isRanked: false,
      }),
      partnerConditions(rows),
    );
  });
}

const count = (number: number): Child => el('span.count', number);
const empty = (text: string): Child => el('p.empty', text);
const fact = (name: string, value: Child): HTMLElement | null =>
  value === null ? null : el('div.fact', el('dt', name), el('dd', value));

/** Draws a request to one dealership. Such a request has only its list entry and no result. */
export function singleView(
  compare: Comparison,
  mine: SingleEntry,
  other: SingleEntry | undefined,
): Child {
  const { car, lowestWrittenOtdCents: price, latestActivityAt: latest } = mine;
  return [
    el(
      'section.car.block',
      el('h3', carName(car)),
      el(
        'p.header-line',
        compare.value(mine.dealerLabel, other?.dealerLabel) ??
          'Name hidden until she unlocks or chooses the dealership.',
      ),
      el(
        'dl.facts',
        fact('Trim', compare.value(car.trim, other?.car.trim)),
        fact('Status', SECTION_NAMES[mine.section]),
        fact('Last activity', latest === null ? null : ago(latest)),
        fact('Waiting', mine.needsYou === 0 ? 'nothing' : plural(mine.needsYou, 'question')),
      ),
    ),
    el(
      'section.hero.block',
      el('h4', 'Written price, out the door'),
      price === null ? empty('No written price yet.') : el('p.price', dollars(price)),
    ),
  ];
}
