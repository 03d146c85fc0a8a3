import type { DatabaseOptions } from '../../config/settings.js';
import type { DatabaseAddress } from '../../database/address-options.js';
import { distributeTables, missingOfDistribution, prepareNodes } from '../distribute.js';
import { CommandError, printNote, withDatabase } from './command-line.js';

/**
 * `deal-sets distribute`: distributes the tables on Citus; with `check` it only reports what is
 * missing.
 */
export async function runDistribute({ check }: { readonly check?: boolean }): Promise<void> {
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
