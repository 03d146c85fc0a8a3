import type { CarAnswer, Ending } from '../../kernel/price-check-values.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';
import { maskWords } from '../domain/masking/masked-words.js';
import { beforeCut, OPENING_CHARACTERS } from '../domain/preview.js';
import { column, expression, sessionOnly, type FactRow } from './fact-columns.js';

/**
 * Whether the buyer has unlocked or chosen the dealership of the price check `p`. The files in
 * `sql/` repeat this condition under other aliases.
 */
export const IS_SEEN = '(p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)';
const SEEN_COLUMNS = ['p.unlocked_at', 'p.chosen_at'];

/**
 * A sub-select by key, for the rows that need a name. With a join, wrong statistics could make the
 * planner scan all dealerships.
 */
const DEALERSHIP_NAME = '(SELECT d.name FROM dealership d WHERE d.id = p.dealership_id)';

/** The facts of the deal set `s` itself. */
export const DEAL_SET_FACTS = {
  id: column<string>('s', 'id'),
  carYear: column<number>('s', 'car_year'),
  carMake: column<string>('s', 'car_make'),
  carModel: column<string>('s', 'car_model'),
  carTrim: sessionOnly(column<string | null>('s', 'car_trim'), 'text'),
  exteriorColor: sessionOnly(column<string | null>('s', 'car_exterior_color'), 'text'),
  interiorColor: sessionOnly(column<string | null>('s', 'car_interior_color'), 'text'),
  drivetrain: sessionOnly(column<string | null>('s', 'car_drivetrain'), 'text'),
  powertrain: sessionOnly(column<string | null>('s', 'car_powertrain'), 'text'),
  buyerZip: sessionOnly(column<string | null>('s', 'buyer_zip'), 'text'),
  radiusMiles: sessionOnly(column<number | null>('s', 'radius_miles'), 'double precision'),
  dealersFound: sessionOnly(column<number | null>('s', 'dealers_found'), 'integer'),
};

/** The facts of a price check `p` of the deal set. */
export const PRICE_CHECK_FACTS = {
  id: column<string>('p', 'id'),
  listedYear: column<number | null>('p', 'shown_year'),
  listedModel: column<string | null>('p', 'shown_model'),
  listedTrim: column<string | null>('p', 'shown_trim'),
  listedExteriorColor: column<string | null>('p', 'shown_exterior_color'),
  listedMileage: column<number | null>('p', 'shown_mileage'),
  listedAtCents: column<number | null>('p', 'shown_listed_at_cents'),
  answer: column<CarAnswer | null>('p', 'answer'),
  otdCents: column<number | null>('p', 'otd_cents'),
  sellingPriceCents: column<number | null>('p', 'selling_price_cents'),
  writtenAt: column<string | null>('p', 'written_at'),
  ended: column<Ending | null>('p', 'ended'),
  isSeen: expression<boolean>(IS_SEEN, SEEN_COLUMNS),
  isChosen: expression<boolean>('p.chosen_at IS NOT NULL', ['p.chosen_at']),
  isArchived: expression<boolean>('p.archived_at IS NOT NULL', ['p.archived_at']),
  isVerifiedPartner: column<boolean>('p', 'shown_verified_partner'),
  distanceMiles: sessionOnly(column<number | null>('p', 'distance_miles'), 'double precision'),
  dealershipName: sessionOnly(
    expression<string | null>(`CASE WHEN ${IS_SEEN} THEN ${DEALERSHIP_NAME} END`, [
      ...SEEN_COLUMNS,
      'p.dealership_id',
    ]),
    'text',
  ),
};

/**
 * The keys of the name of a dealership that is still hidden from the buyer, with which its name is
 * masked in questions and drafts. Null once the buyer has unlocked or chosen the dealership.
 */
const HIDDEN_NAME_KEYS = sessionOnly(
  expression<readonly string[] | null>(
    `CASE WHEN NOT ${IS_SEEN} THEN deal_sets.dealership_name_keys(p.dealership_id) END`,
    [...SEEN_COLUMNS, 'p.dealership_id'],
  ),
  'text[]',
);

/** The facts of an open question `i` of the price check `p`. */
export const QUESTION_FACTS = {
  id: column<string>('i', 'id'),
  priceCheckId: column<string>('i', 'price_check_id'),
  promptId: column<string | null>('i', 'prompt_id'),
  category: column<string>('i', 'category'),
  answerMode: column<string>('i', 'answer_mode'),
  otdCents: column<number | null>('i', 'otd_cents'),
  words: sessionOnly(column<string>('i', 'text'), 'text'),
  hiddenNameKeys: HIDDEN_NAME_KEYS,
};

/**
 * The opening of a draft. `GOES_ON` compares sizes in bytes first, because PostgreSQL returns the
 * size of a text in bytes without reading the text, but must read it to count its characters.
 */
const OPENING = `left(i.body, ${OPENING_CHARACTERS})`;
const GOES_ON = `octet_length(i.body) > ${OPENING_CHARACTERS} AND octet_length(i.body) > octet_length(${OPENING})`;

/**
 * The facts of an open draft `i` of the price check `p`, with the part of its words that a preview
 * can need.
 */
export const DRAFT_FACTS = {
  id: column<string>('i', 'id'),
  priceCheckId: column<string>('i', 'price_check_id'),
  words: sessionOnly(expression<string>(OPENING, ['i.body']), 'text'),
  hasMore: sessionOnly(expression<boolean>(GOES_ON, ['i.body']), 'boolean'),
  hiddenNameKeys: HIDDEN_NAME_KEYS,
};

type DealSetRow = FactRow<typeof DEAL_SET_FACTS>;
type PriceCheckRow = FactRow<typeof PRICE_CHECK_FACTS>;
type QuestionRow = FactRow<typeof QUESTION_FACTS>;
type DraftRow = FactRow<typeof DRAFT_FACTS>;

/**
 * A row of the result: the deal set itself, a price check, or an open item of a price check. The
 * facts of a price check are separate columns, because there are many price checks. The facts of
 * the other rows are one JSON value each.
 */
export type ResultRow =
  | { readonly rowKind: 'deal_set'; readonly facts: DealSetRow }
  | { readonly rowKind: 'question'; readonly facts: QuestionRow }
  | { readonly rowKind: 'draft'; readonly facts: DraftRow }
  | ({ readonly rowKind: 'price_check' } & PriceCheckRow);

/**
 * Assembles the facts of a deal set from the rows of its statement.
 *
 * @returns null when no row is the deal set itself.
 */
export function dealSetFacts(rows: readonly ResultRow[]): DealSetFacts | null {
  let dealSet: DealSetRow | undefined;
  const priceChecks: PriceCheckFacts[] = [];
  const needsYouItems: NeedsYouFacts[] = [];
  for (const row of rows) {
    switch (row.rowKind) {
      case 'deal_set':
        dealSet = row.facts;
        break;
      case 'price_check':
        priceChecks.push(priceCheckFacts(row));
        break;
      case 'question':
        needsYouItems.push(questionFacts(row.facts));
        break;
      case 'draft':
        needsYouItems.push(draftFacts(row.facts));
        break;
    }
  }
  return dealSet ? { ...requestedCarFacts(dealSet), priceChecks, needsYouItems } : null;
}

function requestedCarFacts(row: DealSetRow): Omit<DealSetFacts, 'priceChecks' | 'needsYouItems'> {
  return {
    id: row.id,
    car: {
      year: row.carYear,
      make: row.carMake,
      model: row.carModel,
      trim: row.carTrim,
      exteriorColor: row.exteriorColor,
      interiorColor: row.interiorColor,
      drivetrain: row.drivetrain,
      powertrain: row.powertrain,
    },
    buyerZip: row.buyerZip,
    radiusMiles: row.radiusMiles,
    dealersFound: row.dealersFound,
  };
}

function priceCheckFacts(row: PriceCheckRow): PriceCheckFacts {
  return {
    id: row.id,
    listing: {
      year: row.listedYear,
      model: row.listedModel,
      trim: row.listedTrim,
      exteriorColor: row.listedExteriorColor,
      mileage: row.listedMileage,
      listedAtCents: row.listedAtCents,
    },
    answer: row.answer,
    otdCents: row.otdCents,
    sellingPriceCents: row.sellingPriceCents,
    writtenAt: row.writtenAt,
    ended: row.ended,
    isSeen: row.isSeen,
    isChosen: row.isChosen,
    isArchived: row.isArchived,
    isVerifiedPartner: row.isVerifiedPartner,
    distanceMiles: row.distanceMiles,
    dealershipName: row.dealershipName,
  };
}

/**
 * Returns the facts of a question. While the dealership's row is hidden, words that identify the
 * dealership are masked. The keys of its name are not part of the result.
 */
function questionFacts({ hiddenNameKeys, words, ...question }: QuestionRow): NeedsYouFacts {
  const isMasked = hiddenNameKeys !== null && words !== null;
  return {
    kind: 'question',
    ...question,
    words: isMasked ? maskWords(words, hiddenNameKeys) : words,
  };
}

function draftFacts({ hiddenNameKeys, words, hasMore, ...draft }: DraftRow): NeedsYouFacts {
  if (hiddenNameKeys === null || words === null) return { kind: 'draft', ...draft, words, hasMore };
  const masked = maskWords(words, hiddenNameKeys);
  if (hasMore) return { kind: 'draft', ...draft, words: beforeCut(masked), hasMore };
  return { kind: 'draft', ...draft, words: masked, hasMore: masked !== words };
}
