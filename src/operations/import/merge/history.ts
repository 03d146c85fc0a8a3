import type { ClientBase } from 'pg';
import { execute } from '../staging/resolve-rows.js';
import type { StoredRelation } from '../staging/stored-relation.js';

const requestsOf = (stored: StoredRelation, table: string, kind: string, isRequest: string) =>
  `SELECT s.buyer_id, s.id AS request_id, '${kind}' AS kind, s.stamp AS at, s.is_time_known,
     EXISTS (SELECT 1 FROM ${stored('buyer')} b WHERE b.id = s.buyer_id) AS has_stored_buyer
   FROM staged_${table} s WHERE ${isRequest} AND NOT EXISTS (
     SELECT 1 FROM ${stored(table)} t WHERE t.buyer_id = s.buyer_id AND t.id = s.id)`;

/**
 * Notes the requests of the file that are not stored yet. Call it before the merge. A request that is
 * stored is no history any more: what the file changes of it is a change that happens now.
 */
export async function noteNewRequests(client: ClientBase, stored: StoredRelation): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE staged_new_request ON COMMIT DROP AS
     ${requestsOf(stored, 'deal_set', 'deal_set', 'true')}
     UNION ALL
     ${requestsOf(stored, 'price_check', 'single', 's.deal_set_id IS NULL')}`,
  );
}

/**
 * Keeps, of the noted requests, those that this import has added to the feed: their rows are marked
 * and have no stamp yet. Another writer may have added the same request since it was noted, and
 * clients may know it already. Call it between the merge and the stamps.
 *
 * @returns how many of them belong to existing buyers and have times before this import.
 */
export async function keepAddedRequests(client: ClientBase): Promise<number> {
  await client.query(
    `CREATE TEMPORARY TABLE staged_history ON COMMIT DROP AS
     SELECT n.* FROM staged_new_request n JOIN deal_sets.request_feed f
       ON f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind
     WHERE f.is_marked AND f.feed_at = '-infinity'`,
  );
  await client.query('ANALYZE staged_history');
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM staged_history WHERE at IS NOT NULL AND has_stored_buyer`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Gives these requests and their replies the times of the file, after they were stamped like any
 * change. Nothing may be written afterwards. From the stamp to the commit, this transaction holds
 * the locks of the buyers' buckets, so other writers of these buyers wait for its end.
 */
export async function placeInHistory(client: ClientBase): Promise<void> {
  await execute(
    client,
    `UPDATE deal_sets.request_feed f SET feed_at = coalesce(n.at, f.feed_at), is_time_known = n.is_time_known
     FROM staged_history n
     WHERE f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind`,
  );
  // A reply without a time has that of its request. A trigger puts back a time after the stamp. The
  // id of a single request is that of its price check.
  await execute(
    client,
    `UPDATE deal_sets.reply r SET feed_at = coalesce(s.feed_at, n.at)
     FROM staged_reply s
     JOIN staged_history n ON n.buyer_id = s.buyer_id
     LEFT JOIN staged_price_check p ON p.buyer_id = s.buyer_id AND p.id = s.price_check_id
     WHERE r.buyer_id = s.buyer_id AND r.id = s.id AND n.request_id = r.request_id
       AND (n.kind = 'single') = (r.price_check_id = r.request_id AND p.deal_set_id IS NULL)
       AND coalesce(s.feed_at, n.at) < r.feed_at`,
  );
}
