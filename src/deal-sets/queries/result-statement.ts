import type { PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';
import { maskWords } from '../domain/masked-words.js';
import {
  columnList,
  factsReader,
  jsonObject,
  storedColumns,
  type Column,
  type Row,
} from './columns.js';

/** The buyer unlocked or chose the dealership. */
const IS_SEEN = '(p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)';

/** How much of a draft is read, in code points: a preview shows at most 2,000 UTF-16 code units. */
const DRAFT_OPENING = 4096;

const SET: readonly Column[] = [
  ['id', 's.id'],
  ['car.year', 's.car_year'],
  ['car.make', 's.car_make'],
  ['car.model', 's.car_model'],
  ['car.trim', 's.car_trim', 'text'],
  ['car.exteriorColor', 's.car_exterior_color', 'text'],
  ['car.interiorColor', 's.car_interior_color', 'text'],
  ['car.drivetrain', 's.car_drivetrain', 'text'],
  ['car.powertrain', 's.car_powertrain', 'text'],
  ['buyerZip', 's.buyer_zip', 'text'],
  ['radiusMiles', 's.radius_miles', 'double precision'],
  ['dealersFound', 's.dealers_found', 'integer'],
];

const PRICE_CHECK: readonly Column[] = [
  ['id', 'p.id'],
  ['listing.year', 'p.shown_year'],
  ['listing.model', 'p.shown_model'],
  ['listing.trim', 'p.shown_trim'],
  ['listing.exteriorColor', 'p.shown_exterior_color'],
  ['listing.mileage', 'p.shown_mileage'],
  ['listing.listedAtCents', 'p.shown_listed_at_cents'],
  ['answer', 'p.answer'],
  ['otdCents', 'p.otd_cents'],
  ['sellingPriceCents', 'p.selling_price_cents'],
  ['writtenAt', 'p.written_at'],
  ['ended', 'p.ended'],
  ['isSeen', IS_SEEN],
  ['isChosen', 'p.chosen_at IS NOT NULL'],
  ['isArchived', 'p.archived_at IS NOT NULL'],
  ['isVerifiedPartner', 'p.shown_verified_partner'],
  ['distanceMiles', 'p.distance_miles', 'double precision'],
  // Looked up by key for the rows that need it: no statistics can turn that into a scan of all dealerships.
  [
    'dealershipName',
    `CASE WHEN ${IS_SEEN} THEN (SELECT d.name FROM dealership d WHERE d.id = p.dealership_id) END`,
    'text',
  ],
];

/**
 * An open item `i`, a question or a draft. A draft's words are cut here, in the outermost list: inside the join
 * they would be cut once for each member. A text's size in bytes is known without reading it, where counting
 * its characters reads it whole.
 */
const ITEM: readonly Column[] = [
  ['kind', 'i.kind'],
  ['id', 'i.id'],
  ['priceCheckId', 'i.price_check_id'],
  ['promptId', 'i.prompt_id'],
  ['category', 'i.category'],
  ['answerMode', 'i.answer_mode'],
  ['otdCents', 'i.otd_cents'],
  ['text', 'i.text', 'text'],
  ['opening', `left(i.body, ${DRAFT_OPENING})`, 'text'],
  [
    'hasMore',
    `octet_length(i.body) > ${DRAFT_OPENING}
    AND octet_length(i.body) > octet_length(left(i.body, ${DRAFT_OPENING}))`,
    'boolean',
  ],
  [
    'hiddenName',
    `CASE WHEN NOT ${IS_SEEN} THEN (SELECT d.name FROM dealership d WHERE d.id = p.dealership_id) END`,
    'text',
  ],
];

const QUESTION: readonly Column[] = [
  ['id', 'q.id'],
  ['price_check_id', 'q.price_check_id'],
  ['prompt_id', 'q.prompt_id'],
  ['category', 'q.category'],
  ['answer_mode', 'q.answer_mode'],
  ['otd_cents', 'q.otd_cents'],
  ['at', 'q.asked_at'],
  ['text', 'q.text', 'text'],
];

const DRAFT: readonly Column[] = [
  ['id', 'd.id'],
  ['price_check_id', 'd.price_check_id'],
  ['at', 'd.created_at'],
  ['body', 'd.body', 'text'],
];

/**
 * $1 buyer, $2 deal set. The first row is the deal set itself, without a member; it is missing when there is none.
 * Then a row for each member and each of its open items, those with the oldest items first. A deal set that has
 * ended has no open items.
 *
 * The full joins join nothing: they put rows of two kinds into one list by the names of their columns. The
 * deal set is then sent once. The items are read once, where the join with the members would read them again for
 * each.
 */
export function resultStatement(principalType: PrincipalType): string {
  const columns = `CASE WHEN s.id IS NOT NULL THEN ${jsonObject(principalType, SET)} END AS set,
  ${columnList(principalType, PRICE_CHECK)},
  CASE WHEN i.id IS NOT NULL THEN ${jsonObject(principalType, ITEM)} END AS item`;
  return `WITH item AS MATERIALIZED (
  SELECT * FROM
  (SELECT 'question' AS kind, ${columnList(principalType, QUESTION)}
    FROM question q WHERE q.buyer_id = $1 AND q.request_id = $2 AND q.answered_at IS NULL) q
  FULL JOIN
  (SELECT 'draft' AS kind, ${columnList(principalType, DRAFT)}
    FROM draft d WHERE d.buyer_id = $1 AND d.request_id = $2 AND d.resolved_at IS NULL) d
  USING (kind, id, price_check_id, at)
  WHERE EXISTS (SELECT 1 FROM deal_set s WHERE s.buyer_id = $1 AND s.id = $2 AND s.ended_at IS NULL)
)
SELECT
  ${columns}
FROM (SELECT ${storedColumns(columns, 's')} FROM deal_set s WHERE s.buyer_id = $1 AND s.id = $2) s
FULL JOIN (
  (SELECT ${storedColumns(columns, 'p')}, p.ended IS NULL AND p.archived_at IS NULL AS has_items
    FROM price_check p WHERE p.buyer_id = $1 AND p.request_id = $2 AND p.deal_set_id = $2) p
  LEFT JOIN item i ON i.price_check_id = p.id AND p.has_items
) ON false
ORDER BY s.id, i.at, i.kind, i.id, p.id`;
}

const readPriceCheck = factsReader(PRICE_CHECK) as (row: Row) => PriceCheckFacts;

/** What a row is not is null. */
interface ResultRow extends Row {
  readonly set: Omit<DealSetFacts, 'priceChecks' | 'needsYouItems'> | null;
  /** Of the member. */
  readonly id: string | null;
  readonly item: ItemRow | null;
}

/** An item with the name of the dealership that the buyer does not see yet; null once she does, and for an assistant. */
type ItemRow = NeedsYouFacts & { readonly hiddenName: string | null };

/** While the row is hidden, words lose what identifies its dealership; the name itself goes no further than here. */
function itemFacts({ hiddenName, ...item }: ItemRow): NeedsYouFacts {
  if (hiddenName === null) return item;
  if (item.kind === 'question') {
    return { ...item, text: item.text && maskWords(item.text, hiddenName) };
  }
  const opening = item.opening && maskWords(item.opening, hiddenName);
  return { ...item, opening, isMasked: opening !== item.opening };
}

/**
 * @param rows of the statement: the set itself, then its members, each with an open item if it has one, the items in
 *   the order in which they are shown.
 * @returns null when there is no deal set.
 */
export function dealSetFacts(rows: readonly Row[]): DealSetFacts | null {
  const found = rows as readonly ResultRow[];
  const set = found[0]?.set;
  if (!set) return null;
  const priceChecks = new Map<string, PriceCheckFacts>();
  const needsYouItems: NeedsYouFacts[] = [];
  for (const row of found) {
    if (row.id !== null && !priceChecks.has(row.id)) priceChecks.set(row.id, readPriceCheck(row));
    if (row.item) needsYouItems.push(itemFacts(row.item));
  }
  return { ...set, priceChecks: [...priceChecks.values()], needsYouItems };
}
