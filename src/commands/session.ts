import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { Buyer, BuyerSession } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError } from './command-error.js';
import { MAX_TTL_SECONDS, uuid, wholeNumber } from './option-values.js';
import { printResult } from './console.js';
import { withRepositories } from './with-client.js';

interface SessionOptions {
  readonly buyer: string;
  readonly ttl: number;
}

async function session({ buyer, ttl }: SessionOptions): Promise<void> {
  await withRepositories(async (dataSource, { sessionCookie }) => {
    const value = randomBytes(32).toString('base64url');
    const row = {
      buyerId: buyer,
      id: randomUUID(),
      tokenSha256: createHash('sha256').update(value).digest(),
      // A whole number, by the database's clock.
      expiresAt: () => `clock_timestamp() + ${ttl} * interval '1 second'`,
    };
    const isMade = await retryConflicts(() =>
      dataSource.transaction(async (manager) => {
        // Locked, so that she is not erased meanwhile.
        const owner = await manager.getRepository(Buyer).findOne({
          where: { id: buyer },
          lock: { mode: 'for_key_share' },
        });
        if (owner) await manager.getRepository(BuyerSession).insert(row);
        return owner !== null;
      }),
    );
    if (!isMade) throw new CommandError(`There is no buyer ${buyer}: import one, or check the id.`);
    printResult(`Cookie: ${sessionCookie}=${value}`);
  });
}

export function addSessionCommand(program: Command): void {
  program
    .command('session')
    .description('create a website session and print its cookie header line')
    .requiredOption('--buyer <id>', 'the buyer who is signed in', uuid)
    .option('--ttl <seconds>', 'how long it is good', wholeNumber(1, MAX_TTL_SECONDS), 3600)
    .addHelpText(
      'after',
      '\nExample:\n  curl -H "$(deal-sets session --buyer 00000000-0000-4000-8000-000000000001)" \\\n' +
        '    http://localhost:3000/api/v1/deal-sets',
    )
    .action(session);
}
