import type { Command } from 'commander';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { writerDataSource } from '../database/data-source.js';
import {
  migrateDirectory,
  pendingInDirectory,
  revertInDirectory,
} from '../database/migration-directory.js';
import { applyMigrations, pendingMigrations, revertLastMigration } from '../database/migrate.js';
import { CommandError } from './command-error.js';
import { openDatabase } from './open-database.js';
import { printNote } from './console.js';

interface MigrateOptions {
  readonly revert?: boolean;
  readonly check?: boolean;
  readonly directory?: string;
  readonly table?: string;
}

/** What can be done with the service's migrations, or with a team's. */
interface Migrations {
  apply(): Promise<string[]>;
  pending(): Promise<string[]>;
  revertLast(): Promise<string | undefined>;
}

async function migrate(options: MigrateOptions): Promise<void> {
  const { revert, check, directory, table } = options;
  if (revert && check) throw new CommandError('--revert and --check exclude each other: give one.');
  if ((directory === undefined) !== (table === undefined)) {
    throw new CommandError(
      '--directory and --table belong together: name the folder of your migrations, and your table in which applied ones are recorded.',
    );
  }
  const database = await openDatabase(loadSettings(readEnvironment()));
  try {
    if (directory !== undefined && table !== undefined) {
      const source = { databaseUrl: database.url, directory, table };
      await run(options, {
        apply: () => migrateDirectory(source),
        pending: () => pendingInDirectory(source),
        revertLast: () => revertInDirectory(source),
      });
    } else {
      await runOwn(options, database.url);
    }
  } finally {
    await database.close();
  }
}

async function runOwn(options: MigrateOptions, url: string): Promise<void> {
  const dataSource = await writerDataSource({ url, poolSize: 2 }).initialize();
  try {
    await run(options, {
      apply: () => applyMigrations(dataSource),
      pending: () => pendingMigrations(dataSource),
      revertLast: () => revertLastMigration(dataSource),
    });
  } finally {
    await dataSource.destroy();
  }
}

async function run({ revert, check }: MigrateOptions, migrations: Migrations): Promise<void> {
  if (check) {
    const pending = await migrations.pending();
    if (pending.length > 0) {
      throw new CommandError(`Pending: ${pending.join(', ')}. Run \`deal-sets migrate\`.`);
    }
    printNote('No migration is pending.');
  } else if (revert) {
    const name = await migrations.revertLast();
    printNote(name === undefined ? 'No migration is applied.' : `Reverted ${name}.`);
  } else {
    const names = await migrations.apply();
    printNote(names.length === 0 ? 'No migration was pending.' : `Applied ${names.join(', ')}.`);
  }
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply pending migrations')
    .option('--revert', 'undo the last applied migration')
    .option('--check', 'change nothing; fail when migrations are pending')
    .option('--directory <folder>', "a team's own migrations instead of the service's")
    .option('--table <name>', 'with --directory: your table in which applied ones are recorded')
    .addHelpText(
      'after',
      '\nExamples:\n  deal-sets migrate\n  deal-sets migrate --check\n  deal-sets migrate --revert\n  deal-sets migrate --directory migrations --table acme_migration',
    )
    .action(migrate);
}
