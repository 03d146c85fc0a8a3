import type { Command } from 'commander';
import { In, IsNull, Raw, type DataSource } from 'typeorm';
import { AssistantGrant, BuyerSession } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError } from './command-error.js';
import { clientId, uuid } from './option-values.js';
import { printNote } from './console.js';
import { withRepositories } from './with-client.js';

interface RevokeOptions {
  readonly buyer: string;
  readonly client?: string;
  readonly sessions?: boolean;
}

async function revoke({ buyer, client, sessions }: RevokeOptions): Promise<void> {
  if ((client === undefined) === (sessions === undefined)) {
    throw new CommandError('Say what to revoke: give either --client or --sessions.');
  }
  await withRepositories(async (dataSource) => {
    if (client !== undefined) {
      if ((await revokeGrant(dataSource, buyer, client)) === 0) {
        throw new CommandError(
          `Nothing to revoke: buyer ${buyer} has no live grant for ${client}. Check both ids.`,
        );
      }
      printNote(`Revoked the grant of ${client} for buyer ${buyer}.`);
      return;
    }
    const count = await revokeSessions(dataSource, buyer);
    if (count === 0) {
      throw new CommandError(
        `Nothing to revoke: buyer ${buyer} has no live session. Check the id.`,
      );
    }
    printNote(`Revoked ${count === 1 ? '1 session' : `${count} sessions`} of buyer ${buyer}.`);
  });
}

/** The database's clock decides, as in the look-ups of sign-in. */
const NOW = (): string => 'clock_timestamp()';

async function revokeGrant(
  dataSource: DataSource,
  buyerId: string,
  clientId: string,
): Promise<number> {
  const grants = dataSource.getRepository(AssistantGrant);
  const { affected } = await retryConflicts(() =>
    grants.update({ buyerId, clientId, revokedAt: IsNull() }, { revokedAt: () => 'now()' }),
  );
  return affected ?? 0;
}

/** Locks the sessions in the order that all writers keep to, then revokes them. */
function revokeSessions(dataSource: DataSource, buyerId: string): Promise<number> {
  return retryConflicts(() =>
    dataSource.transaction(async (manager) => {
      const sessions = manager.getRepository(BuyerSession);
      const live = await sessions.find({
        select: { buyerId: true, id: true },
        where: {
          buyerId,
          revokedAt: IsNull(),
          expiresAt: Raw((column) => `${column} > clock_timestamp()`),
        },
        order: { id: 'ASC' },
        lock: { mode: 'for_no_key_update' },
      });
      await sessions.update({ buyerId, id: In(live.map(({ id }) => id)) }, { revokedAt: NOW });
      return live.length;
    }),
  );
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
