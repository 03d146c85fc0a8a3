import type { Statement } from '../../database/cancellable-reader.js';
import type { PrincipalType } from '../../kernel/principal.js';
import { READS_WITHHELD } from '../domain/disclosure.js';
import type { RequestFacts } from '../domain/facts.js';
import type { FeedSnapshot } from '../domain/watermark.js';
import { ENTRY_FACTS, REQUESTED_FACTS } from './entry-facts.js';
import { outerNames, selectList } from './fact-columns.js';

/** The highest number of deal sets in a plain list (contract, sections 4.1 and 8). */
export const ACTIVE_DEAL_SETS = 12;
/** The highest number of single requests in a plain list. */
export const ACTIVE_SINGLES = 25;
/**
 * The number of entries of a `since` page, not counting those that tie with the last one. It is
 * large enough that an ordinary poll needs only one page. With several pages, a reply can remain
 * uncounted: each page counts only replies after its own `since`, so if a later change moves a
 * request past the page edge, a reply stamped before that edge is counted on neither page.
 */
export const FEED_PAGE = 100;

/** A row of a `since` page: an entry, and the state of the feed in the page's snapshot. */
export type PageRow = PageSnapshot & RequestFacts;

/** The state of the feed in a page's snapshot, and the stamp of the row's entry. */
export type PageSnapshot = Pick<FeedSnapshot, 'newestMs' | 'lastFeedAtMs' | 'hasMore'>;

/** The one row of an empty page: the requests that were new have been deleted since. */
export type EmptyPageRow = PageSnapshot & { readonly id: null };

/**
 * Returns the SQL that joins the deal set of an entry; empty if the statement reads no facts of it.
 * The key is null for a single request, so that the index is not searched. The limit makes
 * PostgreSQL search by key for each entry: with a plain join it reads all deal sets of the buyer,
 * because it expects few of them.
 */
function withDealSet(type: PrincipalType): string {
  if (!READS_WITHHELD[type]) return '';
  return `LEFT JOIN LATERAL (
    SELECT ${selectList(REQUESTED_FACTS, type)}
    FROM deal_sets.deal_set s
    WHERE s.buyer_id = $1 AND s.id = CASE WHEN r.kind = 'deal_set' THEN r.request_id END LIMIT 1
  ) requested ON true`;
}

/**
 * Selects the active requests of a buyer. The statement reads one index range for each kind. It
 * selects up to one request more than the list can contain, to detect whether more remain.
 *
 * Parameters: $1 buyer.
 */
export function activeStatement(type: PrincipalType): Statement<RequestFacts> {
  return {
    name: `${type}_active`,
    text: `SELECT ${outerNames('entry', ENTRY_FACTS)}
FROM (VALUES ('deal_set', ${ACTIVE_DEAL_SETS + 1}), ('single', ${ACTIVE_SINGLES + 1})) AS wanted (kind, most)
CROSS JOIN LATERAL (
  SELECT r.requested_at,
  ${selectList(ENTRY_FACTS, type)}
  FROM deal_sets.request_feed r
  ${withDealSet(type)}
  WHERE r.buyer_id = $1 AND r.kind = wanted.kind AND r.is_active
  ORDER BY r.requested_at DESC, r.request_id LIMIT wanted.most
) entry
ORDER BY entry.kind, entry.requested_at DESC, entry.id`,
  };
}

/**
 * Selects a page of the feed, oldest change first. It returns at least one row, because an empty
 * page also has a snapshot.
 *
 * The page size is a sub-select, which hides its value from the planner. If the planner saw a size
 * above the number of rows that it expects for an average buyer, it would collect and sort all rows
 * of the buyer instead of reading them in the order of the index.
 *
 * Parameters: $1 buyer, $2 since in milliseconds since 1970, $3 the page's size.
 */
export function changedSinceStatement(type: PrincipalType): Statement<PageRow | EmptyPageRow> {
  return {
    name: `${type}_changed_since`,
    text: `SELECT feed.newest_ms AS "newestMs",
  floor(extract(epoch FROM entry.feed_at) * 1000)::bigint AS "lastFeedAtMs",
  coalesce(entry.feed_at < feed.newest_at, false) AS "hasMore",
  ${outerNames('entry', ENTRY_FACTS)}
FROM (
  SELECT max(f.feed_at) AS newest_at, floor(extract(epoch FROM max(f.feed_at)) * 1000)::bigint AS newest_ms
  FROM deal_sets.request_feed f WHERE f.buyer_id = $1
) feed
LEFT JOIN LATERAL (
  SELECT r.feed_at,
  ${selectList(ENTRY_FACTS, type)}
  FROM deal_sets.request_feed r
  ${withDealSet(type)}
  WHERE r.buyer_id = $1 AND r.feed_at > to_timestamp($2::bigint / 1000.0)
  ORDER BY r.feed_at FETCH FIRST (SELECT $3::bigint) ROWS WITH TIES
) entry ON true
ORDER BY entry.feed_at, entry.kind, entry.id`,
  };
}
