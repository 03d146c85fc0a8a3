import type { ClientBase } from 'pg';

/** The requests of the file whose own record has their place: the time of their newest change, or of their recording. */
export const PLACED_REQUESTS = `
  SELECT line, buyer_id, id AS request_id, 'deal_set' AS kind,
    coalesce(latest_activity_at, recorded_at) AS at, latest_activity_at IS NOT NULL AS is_known
  FROM staged_deal_set WHERE coalesce(latest_activity_at, recorded_at) IS NOT NULL
  UNION ALL
  SELECT line, buyer_id, id, 'single',
    coalesce(latest_activity_at, recorded_at), latest_activity_at IS NOT NULL
  FROM staged_price_check
  WHERE deal_set_id IS NULL AND coalesce(latest_activity_at, recorded_at) IS NOT NULL`;

/** While history is loaded, to the end of the transaction, changes leave requests where they are in the feed. */
export async function beginBackfill(client: ClientBase): Promise<void> {
  await client.query('SELECT deal_sets.feed_enter_history()');
}

/**
 * Counts the file's new requests, of buyers already on record, whose time lies before this import. To be
 * asked before anything is written.
 */
export async function countUnseenRequests(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM (${PLACED_REQUESTS}) p
     WHERE EXISTS (SELECT FROM buyer b WHERE b.id = p.buyer_id)
       AND NOT EXISTS (SELECT FROM request_feed f
         WHERE f.buyer_id = p.buyer_id AND f.request_id = p.request_id AND f.kind = p.kind)`,
  );
  return rows[0]?.count ?? 0;
}

/** Puts requests in the feed at the times that the file gives. None that is already there moves back. */
export async function placeRequests(client: ClientBase): Promise<void> {
  await client.query(
    `UPDATE public.request_feed f SET feed_at = p.at, is_time_known = f.is_time_known OR p.is_known, is_pending = false
     FROM (${PLACED_REQUESTS}) p
     WHERE f.buyer_id = p.buyer_id AND f.request_id = p.request_id AND f.kind = p.kind
       AND (f.is_pending OR f.feed_at < p.at)`,
  );
}

/**
 * Stamps every request that is still to be placed with the time of this very moment, and computes what the list shows
 * of it: not left to the commit, so that a wait for locks that ends too late can be tried again.
 */
export async function stampRequests(client: ClientBase): Promise<void> {
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
}
