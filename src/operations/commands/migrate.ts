import type { Command } from 'commander';
import type { DataSource } from 'typeorm';
import type { MigrateSummary } from '../migrate.js';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './database.js';
import { printNote } from './output.js';

const CODE_NOTES: Readonly<Record<MigrateSummary['code'], string>> = {
  unchanged: 'The code of sql/ is up to date.',
  updated: 'Applied the code of sql/.',
  kept: 'Kept the code of a newer version: --downgrade replaces it with that of this version.',
};

/** `deal-sets migrate`: applies migrations and the current functions. */
export const migrateCommand = (): Command =>
  command('migrate', {
    summary: 'apply pending migrations and the current code of sql/',
    examples: ['deal-sets migrate', 'deal-sets migrate --check'],
  })
    .option('--check', 'change nothing; fail if anything is pending')
    .option('--downgrade', 'also replace the code of a newer version')
    .action((flags: MigrateFlags) =>
      withDatabase((dataSource) => migrateOrCheck(dataSource, flags), { mayBePending: true }),
    );

interface MigrateFlags {
  readonly check?: boolean;
  readonly downgrade?: boolean;
}

async function migrateOrCheck(dataSource: DataSource, flags: MigrateFlags): Promise<void> {
  const { migrate, pendingChanges } = await import('../migrate.js');
  if (flags.check) {
    const pending = await pendingChanges(dataSource);
    if (pending.length > 0) {
      throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
    }
    printNote('Nothing is pending.');
    return;
  }
  const { applied, code } = await migrate(dataSource, { mayDowngrade: flags.downgrade ?? false });
  const what = applied.length === 0 ? 'No migration was pending' : `Applied ${applied.join(', ')}`;
  printNote(`${what}. ${CODE_NOTES[code]}`);
}
