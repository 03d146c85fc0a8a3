import type { Command } from 'commander';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { writerDataSource } from '../database/data-source.js';
import {
  ForeignDatabase,
  migrate,
  pendingChanges,
  type MigrateSummary,
} from '../database/migrate.js';
import { CommandError } from './command-error.js';
import { printNote } from './console.js';
import { writerUrl } from './with-client.js';

interface MigrateFlags {
  readonly check?: boolean;
  readonly downgrade?: boolean;
}

const CODE_NOTES: Readonly<Record<MigrateSummary['code'], string>> = {
  unchanged: 'The code of sql/ is in force.',
  updated: 'Brought the code of sql/ into force.',
  kept: 'Left the code of a newer version in force: --downgrade replaces it with this one.',
};

async function runMigrate({ check, downgrade }: MigrateFlags): Promise<void> {
  const url = writerUrl(loadSettings(readEnvironment()));
  const dataSource = writerDataSource({ url, poolSize: 2 });
  try {
    await dataSource.initialize();
    if (check) {
      const pending = await pendingChanges(dataSource);
      if (pending.length > 0) {
        throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
      }
      printNote('Nothing is pending.');
    } else {
      const { applied, code } = await migrate(dataSource, { mayDowngrade: downgrade ?? false });
      printNote(
        `${applied.length === 0 ? 'No migration was pending.' : `Applied ${applied.join(', ')}.`} ${CODE_NOTES[code]}`,
      );
    }
  } catch (error) {
    throw error instanceof ForeignDatabase ? new CommandError(error.message) : error;
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply pending migrations and bring the code of sql/ into force')
    .option('--check', 'change nothing; fail when something is pending')
    .option('--downgrade', 'also when the code in force is that of a newer version')
    .addHelpText('after', '\nExamples:\n  deal-sets migrate\n  deal-sets migrate --check')
    .action(runMigrate);
}
