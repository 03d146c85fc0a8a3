import type { DataSource } from 'typeorm';
import type { DatabaseOptions } from '../../config/settings.js';
import type { DatabaseAddress } from '../../database/address-options.js';
import { distributeTables, missingOfDistribution, prepareNodes } from '../schema/distribute.js';
import { migrate, pendingChanges, type MigrateSummary } from '../migrate.js';
import { rebuild } from '../schema/rebuild.js';
import {
  CommandError,
  countOf,
  formatCount,
  notesAtTimes,
  printNote,
  withClient,
  withDatabase,
} from './command-line.js';
import { failureText } from './failure-text.js';

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
 * `deal-sets rebuild`: recomputes, by the current rules, the rows that the triggers maintain. It
 * can be run again after a failure.
 */
export async function runRebuild(): Promise<void> {
  let done = '';
  const note = notesAtTimes();
  await withClient(async (client) => {
    const { buyers, compared, changed } = await rebuild(client, {
      onProgress: (so) => {
        done = `${countOf(so.buyers, 'buyer')}, ${countOf(so.compared, 'request')} compared. `;
        note(`${done}${formatCount(so.changed)} changed.`);
      },
    }).catch((error: unknown) => {
      throw new CommandError(
        `${failureText(error) ?? ''} ${done}Then run \`deal-sets rebuild\` again: it continues, and restamps no request a second time.`,
        { cause: error },
      );
    });
    printNote(
      `Compared ${countOf(compared, 'request')} of ${countOf(buyers, 'buyer')}: ${formatCount(changed)} changed and got a new stamp.`,
    );
  });
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
