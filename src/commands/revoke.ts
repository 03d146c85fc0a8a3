import type { Command } from 'commander';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError } from './command-error.js';
import { clientId, uuid } from './option-values.js';
import { printNote } from './console.js';
import { withClient } from './with-client.js';

interface RevokeOptions {
  readonly buyer: string;
  readonly client?: string;
  readonly sessions?: boolean;
}

async function revoke({ buyer, client, sessions }: RevokeOptions): Promise<void> {
  if ((client === undefined) === (sessions === undefined)) {
    throw new CommandError('Say what to revoke: give either --client or --sessions.');
  }
  await withClient(async (connection) => {
    if (client !== undefined) {
      const { rowCount } = await retryConflicts(() =>
        connection.query(
          `UPDATE assistant_grant SET revoked_at = clock_timestamp()
           WHERE buyer_id = $1 AND client_id = $2 AND revoked_at IS NULL`,
          [buyer, client],
        ),
      );
      if (rowCount === 0) {
        throw new CommandError(
          `Nothing to revoke: buyer ${buyer} has no live grant for ${client}. Check both ids.`,
        );
      }
      printNote(`Revoked the grant of ${client} for buyer ${buyer}.`);
      return;
    }
    const { rowCount } = await retryConflicts(() =>
      connection.query(
        `UPDATE buyer_session SET revoked_at = clock_timestamp()
         WHERE id IN (
           SELECT id FROM buyer_session
           WHERE buyer_id = $1 AND revoked_at IS NULL AND expires_at > clock_timestamp()
           ORDER BY id FOR NO KEY UPDATE
         ) AND buyer_id = $1`,
        [buyer],
      ),
    );
    if (rowCount === 0) {
      throw new CommandError(
        `Nothing to revoke: buyer ${buyer} has no live session. Check the id.`,
      );
    }
    printNote(
      `Revoked ${rowCount === 1 ? '1 session' : `${rowCount ?? 0} sessions`} of buyer ${buyer}.`,
    );
  });
}

export function addRevokeCommand(program: Command): void {
  program
    .command('revoke')
    .description("revoke an assistant's grant, or all of a buyer's sessions, at once")
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--client <id>', 'the assistant whose grant ends', clientId)
    .option('--sessions', 'end every session')
    .addHelpText(
      'after',
      '\nExamples:\n  deal-sets revoke --buyer 00000000-0000-4000-8000-000000000001 --client assistant-1\n' +
        '  deal-sets revoke --buyer 00000000-0000-4000-8000-000000000001 --sessions',
    )
    .action(revoke);
}
