import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { BuyerSession } from '../database/entities/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError } from './command-error.js';
import { MAX_TTL_SECONDS, uuid, wholeNumber } from './option-values.js';
import { printResult } from './console.js';
import { withRepositories } from './with-client.js';

interface SessionOptions {
  readonly buyer: string;
  readonly ttl: number;
}

/** SQLSTATE of a foreign key without its row. */
const FOREIGN_KEY_VIOLATION = '23503';

async function session({ buyer, ttl }: SessionOptions): Promise<void> {
  await withRepositories(async (dataSource, { sessionCookie }) => {
    const sessions = dataSource.getRepository(BuyerSession);
    const value = randomBytes(32).toString('base64url');
    const row = {
      buyerId: buyer,
      id: randomUUID(),
      tokenSha256: createHash('sha256').update(value).digest(),
      // A whole number, by the database's clock.
      expiresAt: () => `clock_timestamp() + ${ttl} * interval '1 second'`,
    };
    await retryConflicts(() => sessions.insert(row)).catch((error: unknown) => {
      if (!isForeignKeyViolation(error)) throw error;
      throw new CommandError(`There is no buyer ${buyer}: import one, or check the id.`);
    });
    printResult(`Cookie: ${sessionCookie}=${value}`);
  });
}

function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION;
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
