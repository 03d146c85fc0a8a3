import type { PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';
import { maskWords } from '../domain/masked-words.js';
import { beforeCut, OPENING_CHARACTERS } from '../domain/preview.js';
import {
  factsOf,
  sessionOnlyFor,
  storedColumns,
  type SessionOnly,
  type StatementRow,
} from './columns.js';

const IS_SEEN = '(p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)';

/**
 * Looked up by key for the rows that need it, so that no statistics can lead to a scan of all
 * dealerships.
 */
const NAME = '(SELECT d.name FROM dealership d WHERE d.id = p.dealership_id)';

/** The facts of the deal set `s` as one value: many null columns would cost time in each row. */
function setObject(own: SessionOnly): string {
  return `json_build_object('id', s.id, 'car', json_build_object(
    'year', s.car_year, 'make', s.car_make, 'model', s.car_model, 'trim', ${own('s.car_trim')},
    'exteriorColor', ${own('s.car_exterior_color')}, 'interiorColor', ${own('s.car_interior_color')},
    'drivetrain', ${own('s.car_drivetrain')}, 'powertrain', ${own('s.car_powertrain')}),
    'buyerZip', ${own('s.buyer_zip')}, 'radiusMiles', ${own('s.radius_miles', 'double precision')},
    'dealersFound', ${own('s.dealers_found', 'integer')})`;
}

function priceCheckColumns(own: SessionOnly): string {
  return `p.id, p.shown_year AS "listing.year", p.shown_model AS "listing.model", p.shown_trim AS "listing.trim",
  p.shown_exterior_color AS "listing.exteriorColor", p.shown_mileage AS "listing.mileage",
  p.shown_listed_at_cents AS "listing.listedAtCents", p.answer, p.otd_cents AS "otdCents",
  p.selling_price_cents AS "sellingPriceCents", p.written_at AS "writtenAt", p.ended,
  ${IS_SEEN} AS "isSeen", p.chosen_at IS NOT NULL AS "isChosen", p.archived_at IS NOT NULL AS "isArchived",
  p.shown_verified_partner AS "isVerifiedPartner",
  ${own('p.distance_miles', 'double precision')} AS "distanceMiles",
  ${own(`CASE WHEN ${IS_SEEN} THEN ${NAME} END`)} AS "dealershipName"`;
}

/**
 * The facts of an open item `i`. A draft is cut here, in the outermost list: inside the join it
 * would be cut once for each row. The size of a text in bytes is known without reading it, its
 * number of characters is not.
 */
function itemObject(own: SessionOnly): string {
  const opening = `left(i.body, ${OPENING_CHARACTERS})`;
  const hasMore = `octet_length(i.body) > ${OPENING_CHARACTERS} AND octet_length(i.body) > octet_length(${opening})`;
  return `json_build_object('kind', i.kind, 'id', i.id, 'priceCheckId', i.price_check_id,
    'promptId', i.prompt_id, 'category', i.category, 'answerMode', i.answer_mode, 'otdCents', i.otd_cents,
    'words', ${own(`coalesce(i.text, ${opening})`)}, 'hasMore', ${own(hasMore, 'boolean')},
    'hiddenName', ${own(`CASE WHEN NOT ${IS_SEEN} THEN ${NAME} END`)})`;
}

/**
 * $1 buyer, $2 deal set. The first row is the deal set itself; it is missing when there is none.
 * Then follow a row for each price check and one for each of their open items, oldest items first.
 * A deal set that has ended has no open items.
 *
 * The full joins match nothing: they combine rows of two kinds in one list by column name, so that
 * the deal set is sent once. The items are read once; a join with the price checks would read them
 * again for each.
 */
export function resultStatement(principalType: PrincipalType): string {
  const own = sessionOnlyFor(principalType);
  const columns = `CASE WHEN s.id IS NOT NULL THEN ${setObject(own)} END AS set,
  ${priceCheckColumns(own)},
  CASE WHEN i.id IS NOT NULL THEN ${itemObject(own)} END AS item`;
  return `WITH item AS MATERIALIZED (
  SELECT * FROM
  (SELECT 'question' AS kind, q.id, q.price_check_id, q.prompt_id, q.category, q.answer_mode, q.otd_cents,
    q.asked_at AS at, ${own('q.text')} AS text
    FROM question q WHERE q.buyer_id = $1 AND q.request_id = $2 AND q.answered_at IS NULL) q
  FULL JOIN
  (SELECT 'draft' AS kind, d.id, d.price_check_id, d.created_at AS at, ${own('d.body')} AS body
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

/** The columns of the other kind of row are null; the id is the price check's. */
interface ResultRow extends StatementRow {
  readonly set: Omit<DealSetFacts, 'priceChecks' | 'needsYouItems'> | null;
  readonly id: string | null;
  readonly item: ItemRow | null;
}

/**
 * An open item with the name of a dealership that the buyer does not see yet. The name is null once
 * the buyer sees it, and for an assistant.
 */
type ItemRow = NeedsYouFacts & { readonly hiddenName: string | null };

/**
 * While the row is hidden, masks what identifies its dealership in the words. The name itself is
 * not passed on.
 */
function itemFacts({ hiddenName, ...item }: ItemRow): NeedsYouFacts {
  if (hiddenName === null || item.words === null) return item;
  const words = maskWords(item.words, hiddenName);
  if (item.kind === 'question') return { ...item, words };
  if (item.hasMore) return { ...item, words: beforeCut(words) };
  return { ...item, words, hasMore: words !== item.words };
}

/** Converts the rows of `resultStatement`. @returns null when there is no deal set. */
export function dealSetFacts(rows: readonly StatementRow[]): DealSetFacts | null {
  const found = rows as readonly ResultRow[];
  const set = found[0]?.set;
  if (!set) return null;
  const members = new Map<string, StatementRow>();
  const needsYouItems: NeedsYouFacts[] = [];
  for (const { item, ...member } of found) {
    if (member.id !== null && !members.has(member.id)) members.set(member.id, member);
    if (item) needsYouItems.push(itemFacts(item));
  }
  const priceChecks = factsOf([...members.values()]) as PriceCheckFacts[];
  return { ...set, priceChecks, needsYouItems };
}
