import type { Statement } from '../../database/cancellable-query-runner.js';
import type { PrincipalType } from '../../kernel/principal.js';
import type { RequestFacts } from '../domain/facts.js';

/** The replies of one request that became readable after a time. */
export interface ReplyCount {
  /** At least 1. */
  readonly count: number;
  /** When the latest arrived: ISO 8601 in UTC. */
  readonly latestAt: string;
}

/** A row of the statement: a request with replies. */
export type ReplyCountRow = ReplyCount & Pick<RequestFacts, 'kind' | 'id'>;

/**
 * Counts the replies of a page's requests.
 *
 * Replies are counted by the stamp of the commit that brought them: by its receipt, a reply that
 * was recorded late would never be new. A reply arrived at its receipt where that lies between
 * `since` and the stamp, else at the stamp. Their order is for the planner alone, which then
 * prefers an index on the stamp and reads no older ones.
 *
 * A deal set and a single request may have one id, but a price check is never in both. A reply to
 * another price check than the one that its request is named by belongs to a deal set; only the
 * other case is looked up.
 *
 * Parameters: $1 buyer, $2 since, $3 the latest stamp that the page's snapshot may hold, $4 and $5
 * kinds and ids of the page's requests.
 */
export function repliesStatement(type: PrincipalType): Statement<ReplyCountRow> {
  return {
    name: `${type}_replies`,
    text: `SELECT r.kind, r.request_id AS id, replies.count, replies.latest_at AS "latestAt"
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
WHERE replies.count > 0`,
  };
}
