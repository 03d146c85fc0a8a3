import type { Command } from 'commander';
import { In, IsNull, Raw, type DataSource } from 'typeorm';
import { AssistantGrant, BuyerSession } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { clientId, CommandError, printNote, uuid } from './command-line.js';
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
  const count = await withRepositories((dataSource) =>
    retryConflicts(() =>
      client === undefined
        ? revokeSessions(dataSource, buyer)
        : revokeGrant(dataSource, buyer, client),
    ),
  );
  if (count === 0) {
    const [what, check] =
      client === undefined
        ? ['live session', 'Check the id']
        : [`live grant for ${client}`, 'Check both ids'];
    throw new CommandError(`Nothing to revoke: buyer ${buyer} has no ${what}. ${check}.`);
  }
  const sessionsOf = `${count === 1 ? '1 session' : `${count} sessions`} of buyer ${buyer}`;
  printNote(
    `Revoked ${client === undefined ? sessionsOf : `the grant of ${client} for buyer ${buyer}`}.`,
  );
}

/** The database's clock decides, as in the look-ups of sign-in. */
const NOW = { revokedAt: (): string => 'statement_timestamp()' };

async function revokeGrant(
  dataSource: DataSource,
  buyerId: string,
  clientId: string,
): Promise<number> {
  const grants = dataSource.getRepository(AssistantGrant);
  const { affected } = await grants.update({ buyerId, clientId, revokedAt: IsNull() }, NOW);
  return affected ?? 0;
}

/** Locks the sessions in the order that all writers keep to, then revokes them. */
function revokeSessions(dataSource: DataSource, buyerId: string): Promise<number> {
  return dataSource.transaction(async (manager) => {
    const sessions = manager.getRepository(BuyerSession);
    const expiresAt = Raw((column) => `${column} > clock_timestamp()`);
    const live = await sessions.find({
      select: { buyerId: true, id: true },
      where: { buyerId, revokedAt: IsNull(), expiresAt },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    await sessions.update({ buyerId, id: In(live.map(({ id }) => id)) }, NOW);
    return live.length;
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
