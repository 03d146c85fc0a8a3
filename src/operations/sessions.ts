import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { IsNull, type DataSource, type EntityManager } from 'typeorm';
import { Buyer, BuyerSession } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';

/**
 * Creates a website session.
 *
 * @param ttlSeconds a whole number.
 * @returns the value of its cookie, of which only a hash is stored; undefined for an unknown buyer.
 */
export async function createSession(
  dataSource: DataSource,
  buyerId: string,
  ttlSeconds: number,
): Promise<string | undefined> {
  const value = randomBytes(32).toString('base64url');
  const isCreated = await retryConflicts(() =>
    dataSource.transaction(async (manager) => {
      // The lock prevents a concurrent erasure of the buyer.
      const lock = { mode: 'for_key_share' } as const;
      const owner = await manager.getRepository(Buyer).findOne({ where: { id: buyerId }, lock });
      if (!owner) return false;
      await manager.getRepository(BuyerSession).insert({
        buyerId,
        id: randomUUID(),
        tokenSha256: createHash('sha256').update(value).digest(),
        // Uses the database's clock. A whole number is safe in the statement's text.
        expiresAt: () => `statement_timestamp() + ${ttlSeconds} * interval '1 second'`,
      });
      return true;
    }),
  );
  return isCreated ? value : undefined;
}

/**
 * Revokes a buyer's sessions. Expired ones are included, because an import could prolong them.
 *
 * @returns the number of sessions that were revoked.
 */
export async function revokeSessions(manager: EntityManager, buyerId: string): Promise<number> {
  const active = { buyerId, revokedAt: IsNull() };
  const { affected } = await retryConflicts(() =>
    manager.update(BuyerSession, active, { revokedAt: () => 'statement_timestamp()' }),
  );
  return affected ?? 0;
}

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
