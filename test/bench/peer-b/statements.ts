import type { Statement } from '../../../src/database/read-database.js';
import type { PrincipalType } from '../../../src/kernel/principal.js';
import {
  ACTIVE_DEAL_SETS,
  ACTIVE_SINGLES,
  FEED_PAGE,
} from '../../../src/deal-sets/queries/deal-set-queries.js';
import {
  areWordsMasked,
  dealershipName,
  dealSetColumns,
  dealSetFigures,
  dealSetSources,
  forSession,
  IS_SEEN,
  shownWords,
  singleColumns,
  singleSources,
} from './fragments.js';

/**
 * The statements of peer B: the list is aggregated over the normalized tables on every read, as a server
 * without a read model does it. Each is one round trip and sees one snapshot.
 */
export interface ReaderStatements {
  readonly active: Statement;
  readonly changedSince: Statement;
  readonly repliesSince: Statement;
  readonly one: Statement;
}

export function readerStatements(viewer: PrincipalType): ReaderStatements {
  const named = (name: string, text: string): Statement => ({ name: `${viewer}_${name}`, text });
  return {
    active: named('active', active(viewer)),
    changedSince: named('changed_since', changedSince(viewer)),
    repliesSince: named('replies_since', REPLIES_SINCE),
    one: named('one', one(viewer)),
  };
}

/**
 * $1 buyer. Whether no writer of the buyer is between its stamp and its commit, and the clock.
 * A statement of its own, before the page's: the page's snapshot must be younger than the answer.
 */
export const FEED_PROBE: Statement = {
  name: 'feed_probe',
  text: `SELECT
  pg_try_advisory_xact_lock_shared(feed_lock_key())
    AND pg_try_advisory_xact_lock_shared(feed_lock_key($1::uuid))
    AND NOT pg_is_in_recovery() AS is_quiet,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS read_at_ms`,
};

/**
 * $1 buyer. One more than is shown is looked for, to know whether something was left out. The rows are read
 * where their index finds them: looked up again by id, each would cost another way down an index, and those
 * ways grow with the table.
 */
function active(viewer: PrincipalType): string {
  return `WITH sets AS (
  SELECT ${dealSetSources(viewer)},
    row_number() OVER (ORDER BY s.created_at DESC, s.id) AS place
  FROM deal_set s
  WHERE s.buyer_id = $1 AND s.ended_at IS NULL
  ORDER BY s.created_at DESC, s.id LIMIT ${ACTIVE_DEAL_SETS + 1}
), singles AS (
  SELECT ${singleSources(viewer)},
    row_number() OVER (ORDER BY p.requested_at DESC, p.id) AS place
  FROM price_check p
  WHERE p.buyer_id = $1 AND p.deal_set_id IS NULL AND p.ended IS NULL AND p.archived_at IS NULL
  ORDER BY p.requested_at DESC, p.id LIMIT ${ACTIVE_SINGLES + 1}
), more AS (
  SELECT (SELECT count(*) FROM sets) > ${ACTIVE_DEAL_SETS}
    OR (SELECT count(*) FROM singles) > ${ACTIVE_SINGLES} AS has_more
)
SELECT more.has_more, CASE WHEN f.is_time_known THEN f.feed_at END AS latest_activity_at, s.place,
    ${dealSetColumns(viewer)}
  FROM more, sets s
  JOIN request_feed f ON f.buyer_id = s.buyer_id AND f.request_id = s.id AND f.kind = 'deal_set'
  ${dealSetFigures(viewer)}
  WHERE s.place <= ${ACTIVE_DEAL_SETS}
UNION ALL
SELECT more.has_more, CASE WHEN f.is_time_known THEN f.feed_at END AS latest_activity_at, p.place,
    ${singleColumns(viewer)}
  FROM more, singles p
  JOIN request_feed f ON f.buyer_id = p.buyer_id AND f.request_id = p.id AND f.kind = 'single'
  WHERE p.place <= ${ACTIVE_SINGLES}
ORDER BY kind, place`;
}

/** $1 buyer, $2 since. Always one row at least: the reading is on it even when the page is empty. */
function changedSince(viewer: PrincipalType): string {
  return `WITH page AS MATERIALIZED (
  SELECT f.request_id, f.kind, f.feed_at, f.is_time_known
  FROM request_feed f
  WHERE f.buyer_id = $1 AND f.feed_at > $2::timestamptz
  ORDER BY f.feed_at FETCH FIRST ${FEED_PAGE} ROWS WITH TIES
), edge AS (
  SELECT max(feed_at) AS at FROM page
), reading AS (
  SELECT
    floor(extract(epoch FROM edge.at) * 1000)::bigint AS page_edge_ms,
    EXISTS (SELECT FROM request_feed f WHERE f.buyer_id = $1 AND f.feed_at > edge.at) AS has_more,
    floor(extract(epoch FROM (SELECT max(f.feed_at) FROM request_feed f WHERE f.buyer_id = $1)) * 1000)::bigint
      AS newest_ms,
    floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS read_at_ms
  FROM edge
), entry AS (
  SELECT c.feed_at, CASE WHEN c.is_time_known THEN c.feed_at END AS latest_activity_at,
      ${dealSetColumns(viewer)}
    FROM page c
    JOIN deal_set s ON s.buyer_id = $1 AND s.id = c.request_id
    ${dealSetFigures(viewer)}
    WHERE c.kind = 'deal_set'
  UNION ALL
  SELECT c.feed_at, CASE WHEN c.is_time_known THEN c.feed_at END AS latest_activity_at,
      ${singleColumns(viewer)}
    FROM page c
    JOIN price_check p ON p.buyer_id = $1 AND p.id = c.request_id AND p.deal_set_id IS NULL
    WHERE c.kind = 'single'
)
SELECT reading.*, entry.* FROM reading LEFT JOIN entry ON true ORDER BY entry.feed_at, entry.kind, entry.id`;
}

/**
 * $1 buyer, $2 request ids, $3 since. Replies that became readable after since, by the stamp of the commit that
 * brought them: counted by their receipt, one that was recorded late would never be new.
 *
 * A deal set and a single request may have one id. A reply to another price check than the one its request is
 * named by is a deal set's; only the rest are looked up.
 */
const REPLIES_SINCE = `SELECT CASE
    WHEN r.price_check_id <> r.request_id THEN 'deal_set'
    WHEN (SELECT p.deal_set_id FROM price_check p
      WHERE p.buyer_id = r.buyer_id AND p.id = r.price_check_id) IS NULL THEN 'single'
    ELSE 'deal_set' END AS kind,
  r.request_id, count(*) AS count, max(r.received_at) AS latest_at
FROM reply r
WHERE r.buyer_id = $1 AND r.request_id = ANY ($2::uuid[]) AND r.feed_at > $3::timestamptz
GROUP BY 1, 2`;

/** How much of a draft is read, in code points: a preview shows at most 2,000 UTF-16 code units. */
const DRAFT_OPENING = 4096;

/**
 * The words of item `i`, of a draft no more than its opening, and whether they go on. They are cut in the
 * outermost list: inside the join they would be cut once for each member. A text's size in bytes is known
 * without reading it, where counting its characters reads it whole.
 */
function itemWords(words: string): string {
  const opening = `left(${words}, ${DRAFT_OPENING})`;
  return `CASE WHEN i.item_kind = 'draft' THEN ${opening} ELSE ${words} END AS words,
  i.item_kind = 'draft' AND octet_length(${words}) > ${DRAFT_OPENING}
    AND octet_length(${words}) > octet_length(${opening}) AS has_more_words`;
}

/**
 * $1 buyer, $2 deal set. A row for each member and each of its open items, those with the oldest items
 * first; one at least when the deal set exists. A deal set that has ended has no open items.
 */
function one(viewer: PrincipalType): string {
  const set = (column: string, type = 'text'): string => forSession(viewer, `s.${column}`, type);
  return `SELECT
  s.id AS set_id, s.car_year, s.car_make, s.car_model, s.car_names_dealership,
  ${set('car_trim')} AS car_trim,
  ${set('car_exterior_color')} AS car_exterior_color, ${set('car_interior_color')} AS car_interior_color,
  ${set('car_drivetrain')} AS car_drivetrain, ${set('car_powertrain')} AS car_powertrain,
  ${set('buyer_zip')} AS buyer_zip, ${set('radius_miles', 'double precision')} AS radius_miles,
  ${set('dealers_found', 'integer')} AS dealers_found,
  p.id, p.shown_year, p.shown_model, p.shown_trim, p.shown_exterior_color, p.shown_mileage,
  p.shown_listed_at_cents, p.shown_verified_partner, p.answer, p.otd_cents, p.selling_price_cents,
  p.written_at, p.ended, ${IS_SEEN} AS is_seen, p.chosen_at IS NOT NULL AS is_chosen,
  p.archived_at IS NOT NULL AS is_archived,
  ${forSession(viewer, 'p.distance_miles', 'double precision')} AS distance_miles,
  ${dealershipName(viewer)} AS dealership_name,
  i.item_kind, i.item_id, i.prompt_id, i.category, i.answer_mode, i.item_otd_cents,
  ${itemWords(shownWords(viewer))}, ${areWordsMasked(viewer)} AS is_masked
FROM deal_set s
LEFT JOIN price_check p ON p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
LEFT JOIN (
  SELECT 'question' AS item_kind, q.id AS item_id, q.price_check_id, q.prompt_id, q.category, q.answer_mode,
    q.otd_cents AS item_otd_cents, ${forSession(viewer, 'q.text', 'text')} AS words,
    ${forSession(viewer, 'q.masked_text', 'text')} AS masked_words, q.asked_at AS at
  FROM question q WHERE q.buyer_id = $1 AND q.request_id = $2 AND q.answered_at IS NULL
  UNION ALL
  SELECT 'draft', d.id, d.price_check_id, NULL, NULL, NULL, NULL,
    ${forSession(viewer, 'd.body', 'text')}, ${forSession(viewer, 'd.masked_body', 'text')}, d.created_at
  FROM draft d WHERE d.buyer_id = $1 AND d.request_id = $2 AND d.resolved_at IS NULL
) i ON i.price_check_id = p.id AND p.ended IS NULL AND p.archived_at IS NULL AND s.ended_at IS NULL
WHERE s.buyer_id = $1 AND s.id = $2
ORDER BY i.at, i.item_kind, i.item_id, p.id`;
}
