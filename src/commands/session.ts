import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { retryConflicts } from '../database/retry-conflicts.js';
import { CommandError } from './command-error.js';
import { MAX_TTL_SECONDS, uuid, wholeNumber } from './option-values.js';
import { printResult } from './console.js';
import { withClient } from './with-client.js';

interface SessionOptions {
  readonly buyer: string;
  readonly ttl: number;
}

async function session({ buyer, ttl }: SessionOptions): Promise<void> {
  await withClient(async (client, { sessionCookie }) => {
    const value = randomBytes(32).toString('base64url');
    const { rowCount } = await retryConflicts(() =>
      client.query(
        `INSERT INTO buyer_session (buyer_id, id, token_sha256, expires_at)
         SELECT b.id, $2, $3, clock_timestamp() + $4 * interval '1 second' FROM buyer b WHERE b.id = $1`,
        [buyer, randomUUID(), createHash('sha256').update(value).digest(), ttl],
      ),
    );
    if (rowCount !== 1) {
      throw new CommandError(`There is no buyer ${buyer}: import one, or check the id.`);
    }
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
