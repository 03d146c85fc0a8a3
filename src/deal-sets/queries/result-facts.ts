import type {
  DealSetFacts,
  DraftFacts,
  NeedsYouFacts,
  PriceCheckFacts,
  QuestionFacts,
} from '../domain/facts.js';
import { OPENING_CHARACTERS } from '../domain/preview.js';
import { column, sessionOnly, type CatalogueOf } from './fact-columns.js';

/**
 * A sub-select by key, for the rows that need a name. With a join, wrong statistics could make the
 * planner scan all dealerships.
 */
const DEALERSHIP_NAME = '(SELECT d.name FROM deal_sets.dealership d WHERE d.id = p.dealership_id)';

/** The facts of a deal set itself, without those of its price checks. */
type DealSetHeadFacts = Omit<DealSetFacts, 'priceChecks' | 'needsYouItems'>;

/** The facts of the deal set `s` itself. */
export const DEAL_SET_FACTS = {
  id: column('s.id'),
  car: {
    year: column('s.car_year'),
    make: column('s.car_make'),
    model: column('s.car_model'),
    trim: sessionOnly(column('s.car_trim'), 'text'),
    exteriorColor: sessionOnly(column('s.car_exterior_color'), 'text'),
    interiorColor: sessionOnly(column('s.car_interior_color'), 'text'),
    drivetrain: sessionOnly(column('s.car_drivetrain'), 'text'),
    powertrain: sessionOnly(column('s.car_powertrain'), 'text'),
  },
  buyerZip: sessionOnly(column('s.buyer_zip'), 'text'),
  radiusMiles: sessionOnly(column('s.radius_miles'), 'double precision'),
  dealersFound: sessionOnly(column('s.dealers_found'), 'integer'),
} satisfies CatalogueOf<DealSetHeadFacts>;

/** The facts of a price check `p` of the deal set. */
export const PRICE_CHECK_FACTS: CatalogueOf<PriceCheckFacts> = {
  id: column('p.id'),
  year: column('p.shown_year'),
  model: column('p.shown_model'),
  trim: column('p.shown_trim'),
  exteriorColor: column('p.shown_exterior_color'),
  mileage: column('p.shown_mileage'),
  listedAtCents: column('p.shown_listed_at_cents'),
  answer: column('p.answer'),
  otdCents: column('p.otd_cents'),
  sellingPriceCents: column('p.selling_price_cents'),
  writtenAt: column('p.written_at'),
  isWritten: column('p.is_written'),
  ended: column('p.ended'),
  state: column('p.state'),
  isSeen: column('p.is_seen'),
  isChosen: column('p.chosen_at IS NOT NULL'),
  isArchived: column('p.archived_at IS NOT NULL'),
  isVerifiedPartner: column('p.shown_verified_partner'),
  distanceMiles: sessionOnly(column('p.distance_miles'), 'double precision'),
  dealershipName: sessionOnly(column(`CASE WHEN p.is_seen THEN ${DEALERSHIP_NAME} END`), 'text'),
};

/** What an open question and an open draft `i` of the price check `p` have in common. */
const ITEM_FACTS = {
  id: column<string>('i.id'),
  priceCheckId: column<string>('i.price_check_id'),
};

/** The facts of an open question. */
export const QUESTION_FACTS: CatalogueOf<Omit<QuestionFacts, 'kind'>> = {
  ...ITEM_FACTS,
  promptId: column('i.prompt_id'),
  category: column('i.category'),
  answerMode: column('i.answer_mode'),
  otdCents: column('i.otd_cents'),
  words: sessionOnly(
    column('CASE WHEN p.is_seen THEN i.text ELSE i.text_while_hidden END'),
    'text',
  ),
};

const SHOWN_BODY = 'CASE WHEN p.is_seen THEN i.body ELSE i.body_while_hidden END';
/**
 * The opening of a draft. `GOES_ON` compares sizes in bytes first, because PostgreSQL returns the
 * size of a text in bytes without reading the text, but must read it to count its characters.
 */
const OPENING = `left(${SHOWN_BODY}, ${OPENING_CHARACTERS})`;
const GOES_ON = `octet_length(${SHOWN_BODY}) > ${OPENING_CHARACTERS} AND octet_length(${SHOWN_BODY}) > octet_length(${OPENING})`;
const IS_OTHER_TEXT = 'NOT p.is_seen AND i.body_while_hidden <> i.body';

/** The facts of an open draft, with the part of its words that a preview can need. */
export const DRAFT_FACTS: CatalogueOf<Omit<DraftFacts, 'kind'>> = {
  ...ITEM_FACTS,
  words: sessionOnly(column(OPENING), 'text'),
  isPartial: sessionOnly(column(`${GOES_ON} OR ${IS_OTHER_TEXT}`), 'boolean'),
};

/**
 * A row of the result: the deal set itself, a price check, or an open item of a price check. The
 * facts of a price check are separate columns, because there are many price checks. The facts of
 * the other rows are one JSON value each.
 */
export type ResultRow =
  | { readonly rowKind: 'deal_set'; readonly facts: DealSetHeadFacts }
  | { readonly rowKind: 'question'; readonly facts: Omit<QuestionFacts, 'kind'> }
  | { readonly rowKind: 'draft'; readonly facts: Omit<DraftFacts, 'kind'> }
  | ({ readonly rowKind: 'price_check' } & PriceCheckFacts);

/**
 * Assembles the facts of a deal set from the rows of its statement.
 *
 * @returns null when no row is the deal set itself.
 */
export function dealSetFacts(rows: readonly ResultRow[]): DealSetFacts | null {
  let dealSet: DealSetHeadFacts | undefined;
  const priceChecks: PriceCheckFacts[] = [];
  const needsYouItems: NeedsYouFacts[] = [];
  for (const row of rows) {
    switch (row.rowKind) {
      case 'deal_set':
        dealSet = row.facts;
        break;
      case 'price_check':
        priceChecks.push(row);
        break;
      case 'question':
        needsYouItems.push({ kind: row.rowKind, ...row.facts });
        break;
      case 'draft':
        needsYouItems.push({ kind: row.rowKind, ...row.facts });
        break;
    }
  }
  return dealSet ? { ...dealSet, priceChecks, needsYouItems } : null;
}
