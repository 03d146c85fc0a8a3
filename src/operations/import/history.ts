import type { ClientBase } from 'pg';
import { execute } from './resolve.js';
import type { StoredRelation } from './stored-relation.js';

const requestsOf = (stored: string, staging: string, kind: string, isRequest: string): string =>
  `SELECT s.buyer_id, s.id AS request_id, '${kind}' AS kind, s.stamp AS at, s.is_time_known
   FROM ${staging} s WHERE ${isRequest} AND NOT EXISTS (
     SELECT 1 FROM ${stored} t WHERE t.buyer_id = s.buyer_id AND t.id = s.id)`;

/**
 * Notes the requests of the file that are new, for `placeInHistory`. Call it before the merge. A
 * request that is stored already is no history any more: what the file changes of it is a change
 * that happens now.
 *
 * @returns how many of the new requests belong to existing buyers and have times before this import.
 */
export async function noteNewRequests(client: ClientBase, stored: StoredRelation): Promise<number> {
  await client.query(
    `CREATE TEMPORARY TABLE staged_new_request ON COMMIT DROP AS
     ${requestsOf(stored('deal_set'), 'staged_deal_set', 'deal_set', 'true')}
     UNION ALL
     ${requestsOf(stored('price_check'), 'staged_price_check', 'single', 's.deal_set_id IS NULL')}`,
  );
  await client.query('ANALYZE staged_new_request');
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM staged_new_request n
     WHERE n.at IS NOT NULL AND EXISTS (SELECT 1 FROM ${stored('buyer')} b WHERE b.id = n.buyer_id)`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Gives the new requests and their replies the times of the file, after they were stamped like any
 * change. Nothing may be written afterwards. From the stamp to the commit, this transaction holds
 * the locks of the buyers' buckets, so other writers of these buyers wait for its end.
 */
export async function placeInHistory(client: ClientBase): Promise<void> {
  await execute(
    client,
    `UPDATE deal_sets.request_feed f SET feed_at = coalesce(n.at, f.feed_at), is_time_known = n.is_time_known
     FROM staged_new_request n
     WHERE f.buyer_id = n.buyer_id AND f.request_id = n.request_id AND f.kind = n.kind`,
  );
  // A reply without a time has that of its request. A time after the stamp is put back by a trigger.
  await execute(
    client,
    `UPDATE deal_sets.reply r SET feed_at = coalesce(s.feed_at, n.at)
     FROM staged_reply s JOIN staged_new_request n ON n.buyer_id = s.buyer_id
     WHERE r.buyer_id = s.buyer_id AND r.id = s.id AND n.request_id = r.request_id
       AND (n.kind = 'single') = (r.price_check_id = r.request_id)
       AND coalesce(s.feed_at, n.at) < r.feed_at`,
  );
}
