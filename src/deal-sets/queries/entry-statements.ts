import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';
import type { RequestFacts } from '../domain/facts.js';
import { columnList, factsReader, storedColumns, type Column, type Row } from './columns.js';
import { ACTIVE_DEAL_SETS, ACTIVE_SINGLES, FEED_PAGE } from './deal-set-queries.js';

/**
 * Entries of the list. `r` is a request's row in the read model (request_feed). What only the buyer's session sees of
 * the requested car is read from the deal set `s`.
 */
const ENTRY: readonly Column[] = [
  ['kind', 'r.kind'],
  ['id', 'r.request_id'],
  ['latestActivityAt', 'CASE WHEN r.is_time_known THEN r.feed_at END'],
  ['hasEnded', 'r.has_ended'],
  ['isArchived', 'r.is_archived'],
  ['hasFinished', 'r.has_finished'],
  ['car.year', 'r.car_year'],
  ['car.make', 'r.car_make'],
  ['car.model', 'r.car_model'],
  // That of a single request's listing is for both.
  ['car.trim', { session: 'coalesce(s.car_trim, r.car_trim)', assistant: 'r.car_trim' }],
  ['car.exteriorColor', 's.car_exterior_color', 'text'],
  ['car.interiorColor', 's.car_interior_color', 'text'],
  ['car.drivetrain', 's.car_drivetrain', 'text'],
  ['car.powertrain', 's.car_powertrain', 'text'],
  ['buyerZip', 's.buyer_zip', 'text'],
  ['dealersFound', 's.dealers_found', 'integer'],
  ['summary.written', 'r.written'],
  ['summary.waiting', 'r.waiting'],
  ['summary.differentCar', 'r.different_car'],
  ['summary.ended', 'r.ended'],
  ['summary.endedWithPrice', 'r.ended_with_price'],
  ['summary.closedWithPrice', 'r.closed_with_price'],
  ['lowestWrittenOtdCents', 'r.lowest_written_otd_cents'],
  ['needsYouCount', 'r.open_items'],
  ['memberIds', 'r.member_ids'],
  ['chosen', 'r.chosen'],
  ['lowestWrittenDistanceMiles', 'r.hero_distance_miles', 'double precision'],
  ['isLowestWrittenSeen', 'r.is_hero_seen', 'boolean'],
  // Names are looked up by key: no statistics can turn that into a scan of all dealerships.
  [
    'chosenNames',
    `CASE WHEN r.chosen_dealership_ids IS NOT NULL THEN (
    SELECT json_agg((SELECT d.name FROM dealership d WHERE d.id = c.id) ORDER BY c.place)
    FROM unnest(r.chosen_dealership_ids) WITH ORDINALITY AS c (id, place)) END`,
    'json',
  ],
  [
    'dealershipName',
    'CASE WHEN r.dealership_id IS NOT NULL THEN (SELECT d.name FROM dealership d WHERE d.id = r.dealership_id) END',
    'text',
  ],
];

/** Makes an entry's facts of its row; what the session alone may know of it is null for an assistant. */
export const readEntry = factsReader(ENTRY) as (row: Row) => RequestFacts;

const LIST_ORDER = 'ORDER BY r.kind, r.requested_at DESC, r.request_id';

/** The stored columns of `r` that the entry's columns and the list's order name. */
function sources(principalType: PrincipalType): string {
  return storedColumns(`${columnList(principalType, ENTRY)} ${LIST_ORDER}`, 'r').replaceAll(
    /\br\./g,
    'f.',
  );
}

/**
 * The session's own facts of a deal set `s`; an assistant's statement names none of them. The key is null for a
 * single request: then the index is not even entered.
 */
function withDealSet(principalType: PrincipalType): string {
  return READS_WITHHELD[principalType]
    ? `LEFT JOIN deal_set s
  ON s.buyer_id = $1 AND s.id = CASE WHEN r.kind = 'deal_set' THEN r.request_id END`
    : '';
}

/**
 * $1 buyer. One range of an index for each kind, one more request than the page, to detect whether
 * more remain. Deal sets come before single requests, each newest first.
 */
export function activeStatement(principalType: PrincipalType): string {
  return `SELECT ${columnList(principalType, ENTRY)}
FROM (VALUES ('deal_set', ${ACTIVE_DEAL_SETS + 1}), ('single', ${ACTIVE_SINGLES + 1})) AS part (kind, most)
CROSS JOIN LATERAL (
  SELECT ${sources(principalType)}
  FROM request_feed f
  WHERE f.buyer_id = $1 AND f.kind = part.kind AND f.is_active
  ORDER BY f.requested_at DESC, f.request_id LIMIT part.most
) r
${withDealSet(principalType)}
${LIST_ORDER}`;
}

/** What the page's snapshot shows of the feed, beside each entry and its place. */
const PLACE: readonly Column[] = [
  ['newestMs', 'feed.newest_ms'],
  ['readAtMs', 'feed.read_at_ms'],
  ['feedAt', 'r.feed_at'],
  ['isNewest', 'r.feed_at = feed.newest_at'],
];

/**
 * $1 buyer, $2 since. The page's rows, oldest change first; always one row at least, because an empty page has a
 * snapshot too.
 *
 * The page's size is a sub-select, which the planner does not look into: a size that it knows to be above its
 * estimate for the average buyer makes it collect and sort all of a buyer's rows, where the index has them in
 * order and the page ends after 25.
 */
export function changedSinceStatement(principalType: PrincipalType): string {
  return `SELECT ${columnList(principalType, [...PLACE, ...ENTRY])}
FROM (
  SELECT max(f.feed_at) AS newest_at, floor(extract(epoch FROM max(f.feed_at)) * 1000)::bigint AS newest_ms,
    floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS read_at_ms
  FROM request_feed f WHERE f.buyer_id = $1
) feed
LEFT JOIN LATERAL (
  SELECT ${sources(principalType)}
  FROM request_feed f
  WHERE f.buyer_id = $1 AND f.feed_at > $2::timestamptz
  ORDER BY f.feed_at FETCH FIRST (SELECT ${FEED_PAGE}) ROWS WITH TIES
) r ON true
${withDealSet(principalType)}
ORDER BY r.feed_at, r.kind, r.request_id`;
}

/**
 * $1 buyer, $2 since, $3 the latest stamp that the page's snapshot may hold, $4 and $5 kinds and ids of the page's requests.
 *
 * Replies are counted by the stamp of the commit that brought them: by their receipt, one that was recorded late would
 * never be new. Their order is of no use but to the planner, which then prefers an index on the stamp, where older
 * ones are not even met.
 *
 * A deal set and a single request may have one id, but a price check is never in both. A reply to another price
 * check than the one its request is named by is a deal set's; only that one is looked up.
 */
export const REPLIES_STATEMENT = `SELECT r.kind, r.request_id AS id, replies.count, replies.latest_at AS "latestAt"
FROM unnest($4::text[], $5::uuid[]) AS r (kind, request_id)
CROSS JOIN LATERAL (
  SELECT count(*) AS count, max(m.feed_at) AS latest_at
  FROM (
    SELECT n.price_check_id, n.feed_at
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
