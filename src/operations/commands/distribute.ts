import type { Command } from 'commander';
import type { DatabaseOptions } from '../../config/settings.js';
import type { DatabaseAddress } from '../../database/address-options.js';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './database.js';
import { printNote } from './output.js';

/** `deal-sets distribute`: distributes the tables on Citus. */
export const distributeCommand = (): Command =>
  command('distribute', {
    summary: 'distribute a migrated database over the workers of a Citus cluster',
    examples: ['deal-sets distribute', 'deal-sets distribute --check'],
    note:
      'Run it on the coordinator while the service and the writers are stopped, and again after adding a worker or\n' +
      'a login. docs/scaling.md describes when to use it and what it costs.',
  })
    .option('--check', 'change nothing; fail if anything is missing, and list where')
    .action(distribute);

async function distribute({ check }: { readonly check?: boolean }): Promise<void> {
  const { distributeTables, missingOfDistribution, prepareNodes } =
    await import('../distribute.js');
  if (!check) {
    assertNothingMissing(await withDatabase(prepareNodes));
    // Uses a new session, because a database's settings apply from the next session on.
    await withDatabase(distributeTables);
  }
  const missing = await withDatabase((dataSource, { database }) =>
    missingOfDistribution(dataSource, readingLogins(database)),
  );
  assertNothingMissing(missing);
  printNote('The database is distributed, and nothing is missing on any node.');
}

function readingLogins(database: DatabaseOptions): DatabaseAddress[] {
  const { readerUrl, readerPasswordFile, assistantUrl, assistantPasswordFile } = database;
  if (readerUrl === undefined || assistantUrl === undefined) return [];
  return [
    { url: readerUrl, passwordFile: readerPasswordFile },
    { url: assistantUrl, passwordFile: assistantPasswordFile },
  ];
}

function assertNothingMissing(missing: readonly string[]): void {
  if (missing.length > 0) throw new CommandError(`Missing:\n  ${missing.join('\n  ')}`);
}
