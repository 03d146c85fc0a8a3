import {
  ACTIVE_DEAL_SETS,
  ACTIVE_SINGLES,
  FEED_PAGE,
} from '../../../src/deal-sets/queries/deal-set-queries.js';
import { READS_WITHHELD } from '../../../src/deal-sets/domain/disclosure.js';
import type { PrincipalType } from '../../../src/kernel/principal.js';

// The statements of server B, put together once: the list is aggregated over the normalized tables on every read,
// as a server without a read model does it. Each is one round trip and sees one snapshot.

/** The buyer unlocked or chose the dealership. */
const IS_SEEN = '(p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)';
/** The order of the ranking: its first row is the hero. */
const HERO_FIRST = `p.otd_cents, p.shown_trim COLLATE "C" NULLS LAST, date_trunc('milliseconds', p.written_at), p.id`;
/** How much of a draft is read, in code points: a preview shows at most 2,000 UTF-16 code units. */
const DRAFT_OPENING = 4096;

/** Columns that a list needs of a deal set and of a single request. */
const SET_SOURCES =
  's.buyer_id, s.id, s.car_year, s.car_make, s.car_model, s.car_trim, s.car_exterior_color, s.car_interior_color, s.car_drivetrain, s.car_powertrain, s.buyer_zip, s.dealers_found, s.ended_at';
const SINGLE_SOURCES =
  'p.buyer_id, p.id, p.shown_year, p.shown_make, p.shown_model, p.shown_trim, p.ended, p.archived_at, p.finished_at, p.answer, p.otd_cents, p.written_at, p.unlocked_at, p.chosen_at, p.dealership_id';

/** What an assistant may not read is a constant null in its statements, so that both have the same columns. */
type ForSession = (expression: string, type?: string) => string;

function forSession(viewer: PrincipalType): ForSession {
  return (expression, type = 'text') => (READS_WITHHELD[viewer] ? expression : `NULL::${type}`);
}

/** One look-up by key for each row that needs it, in place of a join that could scan all dealerships. */
function dealershipName(own: ForSession): string {
  return own(
    `CASE WHEN ${IS_SEEN} THEN (SELECT d.name FROM dealership d WHERE d.id = p.dealership_id) END`,
  );
}

function openCount(table: 'question' | 'draft', openWhile: string): string {
  return `(SELECT count(*) FROM ${table} i
      JOIN price_check p ON p.buyer_id = i.buyer_id AND p.id = i.price_check_id
      WHERE i.buyer_id = s.buyer_id AND i.request_id = s.id AND i.${openWhile}
        AND p.deal_set_id = s.id AND p.ended IS NULL AND p.archived_at IS NULL)`;
}

/** The requested car of deal set `s` and where it is looked for. */
function carColumns(own: ForSession): string {
  const shared = 's.car_year AS year, s.car_make AS make, s.car_model AS model';
  const withheld = ['trim', 'exterior_color', 'interior_color', 'drivetrain', 'powertrain'].map(
    (name) => `${own(`s.car_${name}`)} AS ${name}`,
  );
  return `${shared}, ${withheld.join(', ')},
    ${own('s.buyer_zip')} AS buyer_zip, ${own('s.dealers_found', 'integer')} AS dealers_found`;
}

/** Columns of a deal set `s` with its figures `g`; those of a single request have the same names. */
function dealSetColumns(own: ForSession): string {
  return `'deal_set' AS kind, s.id, ${carColumns(own)},
    s.ended_at IS NOT NULL AS has_ended, false AS is_archived, g.has_finished,
    g.lowest_otd_cents AS otd_cents, NULL::text AS dealership_name,
    g.written, g.waiting, g.different_car, g.ended, g.ended_with_price, g.closed_with_price,
    g.lowest_distance_miles, g.is_lowest_seen, g.chosen, g.member_ids,
    CASE WHEN s.ended_at IS NULL THEN ${openCount('question', 'answered_at IS NULL')}
      + ${openCount('draft', 'resolved_at IS NULL')} ELSE 0 END AS open_items`;
}

function singleColumns(own: ForSession): string {
  return `'single' AS kind, p.id,
    p.shown_year AS year, p.shown_make AS make, p.shown_model AS model,
    p.shown_trim AS trim, NULL::text AS exterior_color, NULL::text AS interior_color,
    NULL::text AS drivetrain, NULL::text AS powertrain, NULL::text AS buyer_zip, NULL::integer AS dealers_found,
    p.ended IS NOT NULL AS has_ended, p.archived_at IS NOT NULL AS is_archived,
    p.finished_at IS NOT NULL AND p.answer IS DISTINCT FROM 'different_car' AS has_finished,
    CASE WHEN p.written_at IS NOT NULL THEN p.otd_cents END AS otd_cents,
    ${dealershipName(own)} AS dealership_name,
    NULL::bigint AS written, NULL::bigint AS waiting, NULL::bigint AS different_car, NULL::bigint AS ended,
    NULL::bigint AS ended_with_price, NULL::bigint AS closed_with_price,
    NULL::double precision AS lowest_distance_miles, NULL::boolean AS is_lowest_seen, NULL::text AS chosen,
    NULL::text AS member_ids,
    CASE WHEN p.ended IS NULL AND p.archived_at IS NULL THEN (
      SELECT count(*) FROM question q
      WHERE q.buyer_id = p.buyer_id AND q.request_id = p.id AND q.price_check_id = p.id
        AND q.answered_at IS NULL) ELSE 0 END AS open_items`;
}

/** One pass over the members of deal set `s`: its figures `g`. */
function dealSetFigures(own: ForSession): string {
  const count = (where: string): string => `count(*) FILTER (WHERE ${where})`;
  const lowest = (where: string): string => `min(p.otd_cents) FILTER (WHERE ${where})`;
  const ofHero = (expression: string, type: string): string =>
    own(
      `(array_agg(${expression} ORDER BY ${HERO_FIRST}) FILTER (WHERE v.standing = 'written'))[1]`,
      type,
    );
  return `CROSS JOIN LATERAL (
    SELECT
      ${count(`v.standing = 'written'`)} AS written,
      ${count(`v.standing = 'waiting'`)} AS waiting,
      ${count(`v.standing = 'different_car'`)} AS different_car,
      ${count(`v.standing = 'ended'`)} AS ended,
      ${count(`v.standing = 'ended' AND (v.is_priced OR p.ended = 'closed_with_price')`)} AS ended_with_price,
      ${count(`v.standing = 'ended' AND p.ended = 'closed_with_price'`)} AS closed_with_price,
      coalesce(bool_or(p.finished_at IS NOT NULL) FILTER (WHERE v.standing IN ('written', 'waiting')), false)
        AS has_finished,
      coalesce(
        ${lowest(`v.standing = 'written'`)},
        ${lowest(`v.standing = 'ended' AND v.is_priced AND v.is_same_car`)},
        ${lowest(`v.standing = 'archived' AND v.is_priced AND v.is_same_car`)},
        ${lowest('v.is_priced')}
      ) AS lowest_otd_cents,
      ${ofHero('p.distance_miles', 'double precision')} AS lowest_distance_miles,
      ${ofHero(IS_SEEN, 'boolean')} AS is_lowest_seen,
      (json_agg(json_build_object(
        'year', p.shown_year, 'model', p.shown_model, 'trim', p.shown_trim,
        'exteriorColor', p.shown_exterior_color, 'mileage', p.shown_mileage,
        'listedAtCents', p.shown_listed_at_cents, 'dealershipName', ${dealershipName(own)}
      ) ORDER BY p.id) FILTER (WHERE p.chosen_at IS NOT NULL))::text AS chosen,
      string_agg(p.id::text, ',') AS member_ids
    FROM price_check p
    CROSS JOIN LATERAL (SELECT
      CASE
        WHEN p.archived_at IS NOT NULL THEN 'archived'
        WHEN p.ended IS NOT NULL THEN 'ended'
        WHEN p.answer = 'different_car' THEN 'different_car'
        WHEN p.otd_cents IS NOT NULL AND p.written_at IS NOT NULL THEN 'written'
        ELSE 'waiting' END AS standing,
      p.otd_cents IS NOT NULL AND p.written_at IS NOT NULL AS is_priced,
      p.answer IS DISTINCT FROM 'different_car' AS is_same_car
    ) v
    WHERE p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
  ) g`;
}

/**
 * $1 buyer. One more than is shown is looked for, to know whether something was left out. The rows are read
 * where their index finds them: looked up again by id, each would cost another way down an index.
 */
function active(own: ForSession): string {
  return `WITH sets AS (
  SELECT ${SET_SOURCES}, row_number() OVER (ORDER BY s.created_at DESC, s.id) AS place
  FROM deal_set s
  WHERE s.buyer_id = $1 AND s.ended_at IS NULL
  ORDER BY s.created_at DESC, s.id LIMIT ${ACTIVE_DEAL_SETS + 1}
), singles AS (
  SELECT ${SINGLE_SOURCES}, row_number() OVER (ORDER BY p.requested_at DESC, p.id) AS place
  FROM price_check p
  WHERE p.buyer_id = $1 AND p.deal_set_id IS NULL AND p.ended IS NULL AND p.archived_at IS NULL
  ORDER BY p.requested_at DESC, p.id LIMIT ${ACTIVE_SINGLES + 1}
), more AS (
  SELECT (SELECT count(*) FROM sets) > ${ACTIVE_DEAL_SETS}
    OR (SELECT count(*) FROM singles) > ${ACTIVE_SINGLES} AS has_more
)
SELECT more.has_more, CASE WHEN f.is_time_known THEN f.feed_at END AS latest_activity_at, s.place,
    ${dealSetColumns(own)}
  FROM more, sets s
  JOIN request_feed f ON f.buyer_id = s.buyer_id AND f.request_id = s.id AND f.kind = 'deal_set'
  ${dealSetFigures(own)}
  WHERE s.place <= ${ACTIVE_DEAL_SETS}
UNION ALL
SELECT more.has_more, CASE WHEN f.is_time_known THEN f.feed_at END AS latest_activity_at, p.place,
    ${singleColumns(own)}
  FROM more, singles p
  JOIN request_feed f ON f.buyer_id = p.buyer_id AND f.request_id = p.id AND f.kind = 'single'
  WHERE p.place <= ${ACTIVE_SINGLES}
ORDER BY kind, place`;
}

/** $1 buyer, $2 since. Always one row at least: the reading is on it even when the page is empty. */
function changedSince(own: ForSession): string {
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
      AS newest_ms
  FROM edge
), entry AS (
  SELECT c.feed_at, CASE WHEN c.is_time_known THEN c.feed_at END AS latest_activity_at,
      ${dealSetColumns(own)}
    FROM page c
    JOIN deal_set s ON s.buyer_id = $1 AND s.id = c.request_id
    ${dealSetFigures(own)}
    WHERE c.kind = 'deal_set'
  UNION ALL
  SELECT c.feed_at, CASE WHEN c.is_time_known THEN c.feed_at END AS latest_activity_at,
      ${singleColumns(own)}
    FROM page c
    JOIN price_check p ON p.buyer_id = $1 AND p.id = c.request_id AND p.deal_set_id IS NULL
    WHERE c.kind = 'single'
)
SELECT reading.*, entry.* FROM reading LEFT JOIN entry ON true ORDER BY entry.feed_at, entry.kind, entry.id`;
}

/**
 * $1 buyer, $2 deal set. A row for each member and each of its open items, those with the oldest items first; one
 * at least when the deal set exists. Words are cut in the outermost list: inside the join they would be cut once
 * for each member. While the member is hidden the server masks them, for which it needs the name.
 */
function one(own: ForSession): string {
  const words = own('i.words');
  const hiddenName = own(
    `CASE WHEN i.item_id IS NOT NULL AND NOT ${IS_SEEN} THEN (SELECT d.name FROM dealership d WHERE d.id = p.dealership_id) END`,
  );
  const opening = `left(${words}, ${DRAFT_OPENING})`;
  return `SELECT s.id AS set_id, ${carColumns(own)},
  ${own('s.radius_miles', 'double precision')} AS radius_miles,
  p.id, p.shown_year, p.shown_model, p.shown_trim, p.shown_exterior_color, p.shown_mileage,
  p.shown_listed_at_cents, p.shown_verified_partner, p.answer, p.otd_cents, p.selling_price_cents,
  p.written_at, p.ended, ${IS_SEEN} AS is_seen, p.chosen_at IS NOT NULL AS is_chosen,
  p.archived_at IS NOT NULL AS is_archived,
  ${own('p.distance_miles', 'double precision')} AS distance_miles, ${dealershipName(own)} AS dealership_name,
  i.item_kind, i.item_id, i.prompt_id, i.category, i.answer_mode, i.item_otd_cents,
  CASE WHEN i.item_kind = 'draft' THEN ${opening} ELSE ${words} END AS words,
  i.item_kind = 'draft' AND octet_length(${words}) > ${DRAFT_OPENING}
    AND octet_length(${words}) > octet_length(${opening}) AS has_more_words,
  ${hiddenName} AS hidden_name
FROM deal_set s
LEFT JOIN price_check p ON p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
LEFT JOIN (
  SELECT 'question' AS item_kind, q.id AS item_id, q.price_check_id, q.prompt_id, q.category, q.answer_mode,
    q.otd_cents AS item_otd_cents, ${own('q.text')} AS words, q.asked_at AS at
  FROM question q WHERE q.buyer_id = $1 AND q.request_id = $2 AND q.answered_at IS NULL
  UNION ALL
  SELECT 'draft', d.id, d.price_check_id, NULL, NULL, NULL, NULL,
    ${own('d.body')}, d.created_at
  FROM draft d WHERE d.buyer_id = $1 AND d.request_id = $2 AND d.resolved_at IS NULL
) i ON i.price_check_id = p.id AND p.ended IS NULL AND p.archived_at IS NULL AND s.ended_at IS NULL
WHERE s.buyer_id = $1 AND s.id = $2
ORDER BY i.at, i.item_kind, i.item_id, p.id`;
}

const [session, assistant] = [forSession('session'), forSession('assistant')];

/** Every statement by its name. Sign-in lets the database compare the times. */
export const SQL = {
  grant: `SELECT 'offers:read' = ANY (g.scopes) AS may_read, g.is_hosted, b.changes_granted
    FROM assistant_grant g JOIN buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL`,
  session: `SELECT buyer_id FROM buyer_session
    WHERE token_sha256 = $1 AND revoked_at IS NULL AND expires_at > now()`,
  // Whether no writer of the buyer is between its stamp and its commit. Before the page: the page's snapshot must be
  // younger than the answer.
  probe: `SELECT
    pg_try_advisory_xact_lock_shared(deal_sets.feed_lock_key())
      AND pg_try_advisory_xact_lock_shared(deal_sets.feed_lock_key($1::uuid)) AND NOT pg_is_in_recovery() AS is_quiet,
    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS read_at_ms`,
  sessionActive: active(session),
  sessionSince: changedSince(session),
  sessionOne: one(session),
  assistantActive: active(assistant),
  assistantSince: changedSince(assistant),
  assistantOne: one(assistant),
  // $1 buyer, $2 request ids, $3 since. A reply to another price check than the one its request is named by is a deal
  // set's; only the rest are looked up.
  replies: `SELECT CASE
      WHEN r.price_check_id <> r.request_id THEN 'deal_set'
      WHEN (SELECT p.deal_set_id FROM price_check p
        WHERE p.buyer_id = r.buyer_id AND p.id = r.price_check_id) IS NULL THEN 'single'
      ELSE 'deal_set' END AS kind,
    r.request_id, count(*) AS count, max(r.feed_at) AS latest_at
  FROM reply r
  WHERE r.buyer_id = $1 AND r.request_id = ANY ($2::uuid[]) AND r.feed_at > $3::timestamptz
  GROUP BY 1, 2`,
} as const;
