import { randomUUID } from 'node:crypto';
import { IsNull, Raw, type EntityManager } from 'typeorm';
import { AssistantGrant, Buyer } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';

/** A buyer's approval of an assistant. */
export interface Approval {
  readonly buyerId: string;
  readonly clientId: string;
  /** The scopes that the buyer approved. A token of the assistant may not have any others. */
  readonly scopes: readonly string[];
  /** Whether the assistant runs on a server of its provider. */
  readonly isHosted: boolean;
  /** When the approval ends by itself. Default: it does not. */
  readonly expiresAt?: Date | undefined;
}

/** The clock of the database, so that the times of approvals do not depend on where a command runs. */
const NOW = (): string => 'statement_timestamp()';
/** The clock in whole milliseconds, so that a later approval can carry the time over exactly. */
const NOW_MS = (): string => `date_trunc('milliseconds', statement_timestamp())`;
const NOT_EXPIRED = Raw((column) => `(${column} IS NULL OR ${column} > statement_timestamp())`);
/** When an approval that is replaced ended: now, or at its expiry if that is earlier. */
const ENDED = (): string => 'least(expires_at, statement_timestamp())';

/** Returns whether an approval is neither revoked nor expired, as sign-in decides it. */
export function isLiveApproval({
  revokedAt,
  expiresAt,
}: Pick<AssistantGrant, 'revokedAt' | 'expiresAt'>): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());
}

/**
 * Records that a buyer approved an assistant. A live approval of the same assistant is replaced: it
 * is revoked, and the new one has the same `grantedAt`, so that existing tokens stay valid. After a
 * revocation or an expiry, `grantedAt` is the current time, so that older tokens stay rejected.
 *
 * @param manager of a data source that may write, such as `writerDataSource`.
 * @returns the id of the approval, or undefined when there is no such buyer.
 */
export function approve(
  manager: EntityManager,
  { buyerId, clientId, scopes, isHosted, expiresAt }: Approval,
): Promise<string | undefined> {
  return retryConflicts(() =>
    manager.transaction(async (transaction) => {
      // The lock prevents a concurrent erasure of the buyer, and makes the second of two concurrent
      // approvals replace the first.
      const lock = { mode: 'for_no_key_update' } as const;
      const buyer = await transaction.findOne(Buyer, { where: { id: buyerId }, lock });
      if (!buyer) return undefined;
      const current = { buyerId, clientId, revokedAt: IsNull() };
      // The lock waits for a revocation in progress, after which there is no live approval.
      const live = await transaction.findOne(AssistantGrant, {
        where: { ...current, expiresAt: NOT_EXPIRED },
        lock,
      });
      await transaction.update(AssistantGrant, current, { revokedAt: ENDED });
      const id = randomUUID();
      await transaction.insert(AssistantGrant, {
        buyerId,
        id,
        clientId,
        isHosted,
        scopes: [...scopes],
        grantedAt: live?.grantedAt ?? NOW_MS,
        expiresAt,
      });
      return id;
    }),
  );
}

/**
 * Finds a buyer's approvals, including revoked and expired ones: first those that are live, then
 * the others, each newest first.
 *
 * @param manager of any data source that may read `assistant_grant`.
 */
export async function approvalsOf(
  manager: EntityManager,
  buyerId: string,
): Promise<AssistantGrant[]> {
  const approvals = await manager.find(AssistantGrant, {
    where: { buyerId },
    order: { grantedAt: 'DESC', revokedAt: { direction: 'DESC', nulls: 'FIRST' }, id: 'ASC' },
  });
  return approvals.toSorted((a, b) => Number(isLiveApproval(b)) - Number(isLiveApproval(a)));
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
