import type { Command } from 'commander';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { writerDataSource } from '../database/data-source.js';
import { applyMigrations, pendingMigrations, revertLastMigration } from '../database/migrate.js';
import { CommandError } from './command-error.js';
import { openDatabase } from './open-database.js';
import { printNote } from './console.js';

interface MigrateOptions {
  readonly revert?: boolean;
  readonly check?: boolean;
}

async function migrate({ revert, check }: MigrateOptions): Promise<void> {
  if (revert && check) throw new CommandError('--revert and --check exclude each other: give one.');
  const database = await openDatabase(loadSettings(readEnvironment()));
  const dataSource = writerDataSource({ url: database.url, poolSize: 2 });
  try {
    await dataSource.initialize();
    if (check) {
      const pending = await pendingMigrations(dataSource);
      if (pending.length > 0) {
        throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
      }
      printNote('No migration is pending.');
    } else if (revert) {
      const name = await revertLastMigration(dataSource);
      printNote(name === undefined ? 'No migration is applied.' : `Reverted ${name}.`);
    } else {
      const names = await applyMigrations(dataSource);
      printNote(names.length === 0 ? 'No migration was pending.' : `Applied ${names.join(', ')}.`);
    }
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await database.close();
  }
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply pending migrations')
    .option('--revert', 'undo the last applied migration')
    .option('--check', 'change nothing; fail when migrations are pending')
    .addHelpText(
      'after',
      '\nExamples:\n  deal-sets migrate\n  deal-sets migrate --check\n  deal-sets migrate --revert',
    )
    .action(migrate);
}
