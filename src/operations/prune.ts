import type { ClientBase } from 'pg';
import { retryConflicts } from '../database/retry-conflicts.js';

/** The number of sessions that one transaction deletes. */
const PAGE = 500;

/**
 * Deletes the sessions that expired more than `olderThanDays` days ago, 500 in each transaction.
 * Revoked approvals are kept, so that a later import cannot make them active again.
 *
 * @param client a connection of the tables' owner, outside of a transaction.
 * @param options `olderThanDays`: a number of days, by the database's clock; `onProgress` receives
 *   the number of sessions deleted so far.
 * @returns the number of sessions that were deleted.
 */
export async function pruneSessions(
  client: ClientBase,
  {
    olderThanDays,
    onProgress,
  }: { readonly olderThanDays: number; readonly onProgress?: (deleted: number) => void },
): Promise<number> {
  const { rows } = await client.query<{ before: string }>(
    `SELECT (clock_timestamp() - $1 * interval '1 day')::text AS before`,
    [olderThanDays],
  );
  const before = rows[0]?.before;
  let deleted = 0;
  for (;;) {
    const expired = await client.query<{ buyerId: string; id: string }>(
      `SELECT buyer_id AS "buyerId", id FROM deal_sets.buyer_session WHERE expires_at < $1 LIMIT ${PAGE}`,
      [before],
    );
    if (expired.rows.length === 0) return deleted;
    const values = [
      expired.rows.map(({ buyerId }) => buyerId),
      expired.rows.map(({ id }) => id),
      before,
    ];
    const { rowCount } = await retryConflicts(() =>
      client.query(
        `DELETE FROM deal_sets.buyer_session
         WHERE buyer_id = ANY ($1::uuid[]) AND id = ANY ($2::uuid[]) AND expires_at < $3`,
        values,
      ),
    );
    deleted += rowCount ?? 0;
    onProgress?.(deleted);
  }
}
