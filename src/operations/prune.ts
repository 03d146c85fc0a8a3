import type { ClientBase } from 'pg';
import { retryConflicts } from '../database/retry-conflicts.js';

/**
 * Deletes the sessions that expired long ago. Revoked approvals are kept, so that a later import
 * cannot make them active again.
 *
 * @param client a connection of the tables' owner, outside of a transaction.
 * @param olderThanDays a number of days, by the database's clock.
 * @returns the number of sessions that were deleted.
 */
export async function pruneSessions(client: ClientBase, olderThanDays: number): Promise<number> {
  const { rowCount } = await retryConflicts(() =>
    client.query(
      `DELETE FROM deal_sets.buyer_session
       WHERE expires_at < statement_timestamp() - $1 * interval '1 day'`,
      [olderThanDays],
    ),
  );
  return rowCount ?? 0;
}
