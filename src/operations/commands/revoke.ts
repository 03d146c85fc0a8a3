import type { Command } from 'commander';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './database.js';
import { clientId, uuid } from './option-values.js';
import { printNote } from './output.js';

/**
 * `deal-sets revoke`: revokes a buyer's approval of one assistant, or the buyer's website sessions.
 * Succeeds with a note when there is nothing to revoke, so that it can be run again.
 */
export const revokeCommand = (): Command =>
  command('revoke', {
    summary: "revoke an assistant's grant, or all of a buyer's sessions, at once",
    examples: ['deal-sets revoke BUYER --client assistant-1', 'deal-sets revoke BUYER --sessions'],
  })
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--client <id>', 'the assistant whose grant is revoked', clientId)
    .option('--sessions', 'revoke every session')
    .action(revoke);

interface RevokeOptions {
  readonly buyer: string;
  readonly client?: string;
  readonly sessions?: boolean;
}

async function revoke({ buyer, client, sessions }: RevokeOptions): Promise<void> {
  if ((client === undefined) === (sessions === undefined)) {
    throw new CommandError('Specify what to revoke: either --client or --sessions.');
  }
  const [{ revokeApproval }, { revokeSessions }, { writeAuditLine }] = await Promise.all([
    import('../approvals.js'),
    import('../sessions.js'),
    import('./audit.js'),
  ]);
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
