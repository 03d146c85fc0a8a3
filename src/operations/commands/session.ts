import type { Command } from 'commander';
import { command } from './command.js';
import { unknownBuyer } from './command-error.js';
import { withDatabase } from './database.js';
import { ttlSeconds, uuid } from './option-values.js';
import { printResult } from './output.js';

/** `deal-sets session`: creates a website session and prints its cookie. */
export const sessionCommand = (): Command =>
  command('session', {
    summary: 'create a website session and print its cookie header line',
    examples: [
      'curl -H "$(deal-sets session BUYER)" \\\n    http://localhost:3000/api/v1/deal-sets',
    ],
  })
    .requiredOption('--buyer <id>', 'the buyer who is signed in', uuid)
    .option('--ttl <seconds>', 'how long the session is valid', ttlSeconds, 3600)
    .action(printSession);

async function printSession({ buyer, ttl }: { buyer: string; ttl: number }): Promise<void> {
  const [{ createSession }, { writeAuditLine }] = await Promise.all([
    import('../sessions.js'),
    import('./audit.js'),
  ]);
  await withDatabase(async (dataSource, settings) => {
    const value = await createSession(dataSource, buyer, ttl);
    if (value === undefined) throw unknownBuyer(buyer);
    writeAuditLine(settings, { action: 'session', buyer });
    printResult(`Cookie: ${settings.sessionCookie}=${value}`);
  });
}
