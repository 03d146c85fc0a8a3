import { IsNull, Raw, type EntityManager } from 'typeorm';
import { BuyerSession } from '../../database/entities.js';
import { revokeApproval } from '../approvals.js';
import { retryConflicts } from '../../database/retry-conflicts.js';
import { writeAuditLine } from './audit.js';
import { CommandError, printNote, withDatabase } from './command-line.js';

interface RevokeOptions {
  readonly buyer: string;
  readonly client?: string;
  readonly sessions?: boolean;
}

/**
 * `deal-sets revoke`: revokes a buyer's approval of one assistant, or the buyer's website sessions.
 * Succeeds with a note when there is nothing to revoke, so that it can be run again.
 *
 * @throws {CommandError} unless exactly one of `client` and `sessions` is given.
 */
export async function runRevoke({ buyer, client, sessions }: RevokeOptions): Promise<void> {
  if ((client === undefined) === (sessions === undefined)) {
    throw new CommandError('Specify what to revoke: either --client or --sessions.');
  }
  await withDatabase(async ({ manager }, settings) => {
    const revoked =
      client === undefined
        ? await revokeSessions(manager, buyer)
        : Number(await revokeApproval(manager, { buyerId: buyer, clientId: client }));
    writeAuditLine(settings, { action: 'revoke', buyer, client, sessions });
    const what = client === undefined ? 'session' : `grant for ${client}`;
    if (revoked === 0) printNote(`Nothing to revoke: buyer ${buyer} has no live ${what}.`);
    else if (client === undefined) {
      printNote(`Revoked every session of buyer ${buyer}: ${revoked}.`);
    } else printNote(`Revoked the grant of ${client} for buyer ${buyer}.`);
  });
}

/**
 * Revokes a buyer's live sessions, by the database's clock, as sign-in does. Returns their number.
 */
async function revokeSessions(manager: EntityManager, buyerId: string): Promise<number> {
  const expiresAt = Raw((column) => `${column} > statement_timestamp()`);
  const live = { buyerId, revokedAt: IsNull(), expiresAt };
  const { affected } = await retryConflicts(() =>
    manager.update(BuyerSession, live, { revokedAt: () => 'statement_timestamp()' }),
  );
  return affected ?? 0;
}
