import type { DataSource } from 'typeorm';
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
