import type { DataSource } from 'typeorm';
import type { DatabaseOptions } from '../../config/settings.js';
import type { DatabaseAddress } from '../../database/address-options.js';
import { distributeTables, missingOfDistribution, prepareNodes } from '../distribute.js';
import { migrate, pendingChanges, type MigrateSummary } from '../migrate.js';
import { CommandError, printNote, withDatabase } from './command-line.js';

const CODE_NOTES: Readonly<Record<MigrateSummary['code'], string>> = {
  unchanged: 'The code of sql/ is up to date.',
  updated: 'Applied the code of sql/.',
  kept: 'Kept the code of a newer version: --downgrade replaces it with that of this version.',
};

/**
 * `deal-sets migrate`: applies migrations and the current functions; with `check` it only reports
 * what is pending.
 *
 * @throws {CommandError} with `check`, when something is pending.
 */
export function runMigrate(flags: { check?: boolean; downgrade?: boolean }): Promise<void> {
  const work = async (dataSource: DataSource): Promise<void> => {
    if (flags.check) {
      const pending = await pendingChanges(dataSource);
      if (pending.length > 0) {
        throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
      }
      printNote('Nothing is pending.');
      return;
    }
    const { applied, code } = await migrate(dataSource, { mayDowngrade: flags.downgrade ?? false });
    const what =
      applied.length === 0 ? 'No migration was pending' : `Applied ${applied.join(', ')}`;
    printNote(`${what}. ${CODE_NOTES[code]}`);
  };
  return withDatabase(work, { mayBePending: true });
}

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
