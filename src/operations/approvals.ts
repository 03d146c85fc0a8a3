import { randomUUID } from 'node:crypto';
import { IsNull, type EntityManager } from 'typeorm';
import { AssistantGrant, Buyer } from '../database/entities.js';
import { retryConflicts } from './schema/retry-conflicts.js';

/** A buyer's approval of an assistant. */
export interface Approval {
  readonly buyerId: string;
  readonly clientId: string;
  /** The scopes that the buyer approved. A token of the assistant may not have any others. */
  readonly scopes: readonly string[];
  /** Whether the assistant runs on a server of its provider. */
  readonly isHosted: boolean;
}

/**
 * The clock of the database, which sign-in uses too. Citus does not accept `clock_timestamp()`
 * here.
 */
const NOW = (): string => 'statement_timestamp()';

/**
 * Records that a buyer approved an assistant. An approval of the same assistant that is not revoked
 * is replaced.
 *
 * @param manager of a data source that may write, such as `writerDataSource`.
 * @returns the id of the approval, or undefined when there is no such buyer.
 */
export function approve(
  manager: EntityManager,
  { buyerId, clientId, scopes, isHosted }: Approval,
): Promise<string | undefined> {
  return retryConflicts(() =>
    manager.transaction(async (transaction) => {
      // The lock prevents a concurrent erasure of the buyer, and makes the second of two concurrent
      // approvals replace the first.
      const lock = { mode: 'for_no_key_update' } as const;
      const buyer = await transaction.findOne(Buyer, { where: { id: buyerId }, lock });
      if (!buyer) return undefined;
      await transaction.update(
        AssistantGrant,
        { buyerId, clientId, revokedAt: IsNull() },
        { revokedAt: NOW },
      );
      const id = randomUUID();
      await transaction.insert(AssistantGrant, {
        buyerId,
        id,
        clientId,
        isHosted,
        scopes: [...scopes],
        grantedAt: NOW,
      });
      return id;
    }),
  );
}

/**
 * Finds a buyer's approvals, including revoked ones, newest first.
 *
 * @param manager of any data source that may read `assistant_grant`.
 */
export function approvalsOf(manager: EntityManager, buyerId: string): Promise<AssistantGrant[]> {
  return manager.find(AssistantGrant, {
    where: { buyerId },
    order: { grantedAt: 'DESC', id: 'ASC' },
  });
}

/**
 * Revokes a buyer's approval of an assistant. The assistant's next call is rejected with 401.
 *
 * @param manager of a data source that may write.
 * @returns whether there was an approval to revoke.
 */
export async function revokeApproval(
  manager: EntityManager,
  { buyerId, clientId }: Pick<Approval, 'buyerId' | 'clientId'>,
): Promise<boolean> {
  const active = { buyerId, clientId, revokedAt: IsNull() };
  const { affected } = await retryConflicts(() =>
    manager.update(AssistantGrant, active, { revokedAt: NOW }),
  );
  return Boolean(affected);
}
