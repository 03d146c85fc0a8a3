import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';
import type { Statement } from '../../database/cancellable-query-runner.js';
import { sessionOnlyFor, storedColumns, type SessionOnly } from './columns.js';

/** The most deal sets among the active requests (contract, sections 4.1 and 8). */
export const ACTIVE_DEAL_SETS = 12;
/** The most single requests among the active requests (contract, sections 4.1 and 8). */
export const ACTIVE_SINGLES = 25;
/**
 * Entries of a `since` page, besides those that tie with the last one. It is so large that a poll
 * usually is one page. Replies are counted from the page's own `since`; a reply stamped before the
 * end of a page, on a request that a later change moved to the next page, is therefore counted on
 * neither.
 */
export const FEED_PAGE = 100;

/**
 * The facts of a list entry. `r` is a request's row of the read model (request_feed). Facts of the
 * requested car that only the session may read come from the deal set `s`; the trim of a single
 * request's listing is for both. Names are looked up by key, so that no statistics can lead to a
 * scan of all dealerships.
 */
function entryColumns(own: SessionOnly): string {
  return `r.kind, r.request_id AS id, CASE WHEN r.is_time_known THEN r.feed_at END AS "latestActivityAt",
  r.has_ended AS "hasEnded", r.is_archived AS "isArchived", r.has_finished AS "hasFinished",
  r.car_year AS "car.year", r.car_make AS "car.make", r.car_model AS "car.model",
  coalesce(${own('s.car_trim')}, r.car_trim) AS "car.trim",
  ${own('s.car_exterior_color')} AS "car.exteriorColor",
  ${own('s.car_interior_color')} AS "car.interiorColor",
  ${own('s.car_drivetrain')} AS "car.drivetrain", ${own('s.car_powertrain')} AS "car.powertrain",
  ${own('s.buyer_zip')} AS "buyerZip", ${own('s.dealers_found', 'integer')} AS "dealersFound",
  r.written AS "summary.written", r.waiting AS "summary.waiting",
  r.different_car AS "summary.differentCar", r.ended AS "summary.ended",
  r.ended_with_price AS "summary.endedWithPrice", r.closed_with_price AS "summary.closedWithPrice",
  r.lowest_written_otd_cents AS "lowestWrittenOtdCents", r.open_items AS "needsYouCount",
  r.member_ids AS "memberIds", r.chosen,
  ${own('r.hero_distance_miles', 'double precision')} AS "lowestWrittenDistanceMiles",
  ${own('r.is_hero_seen', 'boolean')} AS "isLowestWrittenSeen",
  ${own(
    `CASE WHEN r.chosen_dealership_ids IS NOT NULL THEN (
    SELECT json_agg((SELECT d.name FROM dealership d WHERE d.id = c.id) ORDER BY c.place)
    FROM unnest(r.chosen_dealership_ids) WITH ORDINALITY AS c (id, place)) END`,
    'json',
  )} AS "chosenNames",
  ${own(`CASE WHEN r.dealership_id IS NOT NULL THEN (
    SELECT d.name FROM dealership d WHERE d.id = r.dealership_id) END`)} AS "dealershipName"`;
}

const LIST_ORDER = 'ORDER BY r.kind, r.requested_at DESC, r.request_id';

/**
 * The deal set's facts for a session. The key is null for a single request, so the index is not
 * even searched.
 */
function withDealSet(type: PrincipalType): string {
  if (!READS_WITHHELD[type]) return '';
  return `LEFT JOIN deal_set s
  ON s.buyer_id = $1 AND s.id = CASE WHEN r.kind = 'deal_set' THEN r.request_id END`;
}

/**
 * $1 buyer. Reads one index range for each kind, with one request more than are shown, which tells
 * whether more remain.
 */
export function activeStatement(type: PrincipalType): string {
  const columns = entryColumns(sessionOnlyFor(type));
  return `SELECT ${columns}
FROM (VALUES ('deal_set', ${ACTIVE_DEAL_SETS + 1}), ('single', ${ACTIVE_SINGLES + 1})) AS part (kind, most)
CROSS JOIN LATERAL (
  SELECT ${storedColumns(columns + LIST_ORDER, 'r')}
  FROM request_feed r
  WHERE r.buyer_id = $1 AND r.kind = part.kind AND r.is_active
  ORDER BY r.requested_at DESC, r.request_id LIMIT part.most
) r
${withDealSet(type)}
${LIST_ORDER}`;
}

/**
 * $1 buyer, $2 since, $3 page size. Returns the page's rows, oldest change first, each with its
 * position and what the page's snapshot shows of the feed. There is always at least one row,
 * because an empty page has a snapshot too.
 *
 * The page size is a sub-select, which the planner does not evaluate: with a size above its
 * estimate for the average buyer, it would collect and sort all of a buyer's rows, although the
 * index has them in order.
 */
export function changedSinceStatement(type: PrincipalType): string {
  const columns = `feed.newest_ms AS "newestMs", feed.read_at_ms AS "readAtMs",
  floor(extract(epoch FROM r.feed_at) * 1000)::bigint AS "lastFeedAtMs",
  coalesce(r.feed_at < feed.newest_at, false) AS "hasMore",
  ${entryColumns(sessionOnlyFor(type))}`;
  return `SELECT ${columns}
FROM (
  SELECT max(f.feed_at) AS newest_at, floor(extract(epoch FROM max(f.feed_at)) * 1000)::bigint AS newest_ms,
    floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS read_at_ms
  FROM request_feed f WHERE f.buyer_id = $1
) feed
LEFT JOIN LATERAL (
  SELECT ${storedColumns(columns, 'r')}
  FROM request_feed r
  WHERE r.buyer_id = $1 AND r.feed_at > $2::timestamptz
  ORDER BY r.feed_at FETCH FIRST (SELECT $3::bigint) ROWS WITH TIES
) r ON true
${withDealSet(type)}
ORDER BY r.feed_at, r.kind, r.request_id`;
}

/**
 * $1 buyer, $2 since, $3 the latest stamp that the page's snapshot can contain, $4 and $5 kinds and
 * ids of the page's requests.
 *
 * Replies are counted by the stamp of the commit that recorded them: counted by receipt, a reply
 * recorded late would never be new. Their reported time is the receipt where it lies between since
 * and the stamp, else the stamp. The order only makes the planner prefer an index on the stamp,
 * which skips older replies.
 *
 * A deal set and a single request may have the same id, but a price check never belongs to both. A
 * reply to a price check other than the one that names its request belongs to a deal set; only that
 * one is looked up.
 */
export const REPLIES_STATEMENT = `SELECT r.kind, r.request_id AS id, replies.count, replies.latest_at AS "latestAt"
FROM unnest($4::text[], $5::uuid[]) AS r (kind, request_id)
CROSS JOIN LATERAL (
  SELECT count(*) AS count,
    max(CASE WHEN m.received_at > $2::timestamptz AND m.received_at < m.feed_at
      THEN m.received_at ELSE m.feed_at END) AS latest_at
  FROM (
    SELECT n.price_check_id, n.feed_at, date_trunc('milliseconds', n.received_at) AS received_at
    FROM reply n
    WHERE n.buyer_id = $1 AND n.request_id = r.request_id
      AND n.feed_at > $2::timestamptz AND n.feed_at <= $3::timestamptz
    ORDER BY n.feed_at
  ) m
  WHERE CASE WHEN r.kind = 'single' THEN m.price_check_id = r.request_id
    ELSE m.price_check_id <> r.request_id OR EXISTS (
      SELECT 1 FROM price_check p
      WHERE p.buyer_id = $1 AND p.id = m.price_check_id AND p.deal_set_id IS NOT NULL) END
) replies
WHERE replies.count > 0`;

/**
 * $1 buyer. Returns whether no writer of the buyer is between its stamp and its commit, and the
 * clock of the server that holds the buyer's row, where the requests are stamped. It runs before
 * the page's statement, whose snapshot must be younger.
 */
export const FEED_PROBE: Statement = {
  name: 'feed_probe',
  text: `SELECT
  pg_try_advisory_xact_lock_shared(deal_sets.feed_group_key(deal_sets.feed_group(b.id)))
    AND pg_try_advisory_xact_lock_shared(deal_sets.feed_lock_key(b.id))
    AND NOT pg_is_in_recovery() AS "isQuiet",
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
FROM buyer b WHERE b.id = $1`,
};
