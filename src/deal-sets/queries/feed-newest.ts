import type { Statement } from '../../database/cancellable-reader.js';
import type { FeedSnapshot } from '../domain/watermark.js';

/** The newest change of a buyer's requests, in one snapshot. */
export interface FeedNewest extends Pick<FeedSnapshot, 'newestMs' | 'readAtMs'> {
  /** Whether it is after `since`, so that a page has at least one entry. */
  readonly isAfterSince: boolean;
}

/**
 * Selects the newest stamp of a buyer and whether it is after a time, as one row. Most polls find
 * nothing new, and this statement returns 3 columns where an empty page returns about 40.
 *
 * Parameters: $1 buyer, $2 since in milliseconds since 1970.
 */
export const FEED_NEWEST: Statement<FeedNewest> = {
  name: 'feed_newest',
  text: `SELECT floor(extract(epoch FROM feed.newest_at) * 1000)::bigint AS "newestMs",
  floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS "readAtMs",
  coalesce(feed.newest_at > to_timestamp($2::bigint / 1000.0), false) AS "isAfterSince"
FROM (SELECT max(f.feed_at) AS newest_at FROM deal_sets.request_feed f WHERE f.buyer_id = $1) feed`,
};
