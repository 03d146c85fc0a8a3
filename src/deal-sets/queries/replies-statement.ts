import type { Statement } from '../../database/cancellable-reader.js';
import type { RequestFacts } from '../domain/facts.js';

/** The replies of one request that became readable after a time. */
export interface ReplyCount {
  /** At least 1. */
  readonly count: number;
  /** When the newest of them became readable: ISO 8601 in UTC, after `since`. */
  readonly latestAt: string;
}

/** A row of the statement: a request with replies. */
export type ReplyCountRow = ReplyCount & Pick<RequestFacts, 'kind' | 'id'>;

/**
 * Counts the replies of a page's requests, for an assistant: a session gets no `changes`.
 *
 * Replies are counted by stamp, the time of the commit that made them readable. `latestAt` is the
 * stamp of the newest counted reply, so a reply has the same time in every poll that counts it. The
 * inner `ORDER BY` only makes the planner prefer an index on the stamp, so that it reads no older
 * replies.
 *
 * A deal set and a single request can have the same id, but a price check belongs to only one of
 * them. If the id of a reply's price check differs from the id of its request, the request is a
 * deal set. For a deal set, the price check is looked up only if the two ids are equal.
 *
 * Parameters: $1 buyer, $2 since and $3 the latest stamp that the page's snapshot can contain, both
 * in milliseconds since 1970, $4 and $5 kinds and ids of the page's requests.
 */
export const REPLIES: Statement<ReplyCountRow> = {
  name: 'assistant_replies',
  text: `SELECT r.kind, r.request_id AS id, replies.count, replies.latest_at AS "latestAt"
FROM unnest($4::text[], $5::uuid[]) AS r (kind, request_id)
CROSS JOIN LATERAL (
  SELECT count(*) AS count, max(m.feed_at) AS latest_at
  FROM (
    SELECT n.price_check_id, n.feed_at
    FROM deal_sets.reply n
    WHERE n.buyer_id = $1 AND n.request_id = r.request_id
      AND n.feed_at > to_timestamp($2::bigint / 1000.0)
      AND n.feed_at <= to_timestamp($3::bigint / 1000.0)
    ORDER BY n.feed_at
  ) m
  WHERE CASE WHEN r.kind = 'single' THEN m.price_check_id = r.request_id
    ELSE m.price_check_id <> r.request_id OR EXISTS (
      SELECT 1 FROM deal_sets.price_check p
      WHERE p.buyer_id = $1 AND p.id = m.price_check_id AND p.deal_set_id IS NOT NULL) END
) replies
WHERE replies.count > 0`,
};
