import type { Statement } from '../../database/cancellable-reader.js';
import type { FeedSnapshot } from '../domain/watermark.js';

/** What the probe reports about the feed of a buyer. */
export type FeedProbe = Pick<FeedSnapshot, 'isQuiet' | 'readAtMs'>;

/**
 * Selects two values: whether no writer of the buyer's bucket is between its stamp and its commit,
 * and the clock of the server that stores the buyer's row and stamps the buyer's requests. The
 * probe runs before `feed_newest` and the page, whose snapshots must be taken later. It returns no
 * row for an unknown buyer.
 *
 * Parameters: $1 buyer.
 */
export const FEED_PROBE: Statement<FeedProbe> = {
  name: 'feed_probe',
  text: `SELECT
  pg_try_advisory_xact_lock_shared(deal_sets.feed_bucket_key(b.id))
    AND NOT pg_is_in_recovery() AS "isQuiet",
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
FROM deal_sets.buyer b WHERE b.id = $1`,
};
