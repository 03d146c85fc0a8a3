import { readdirSync } from 'node:fs';
import { writerDataSource, MIGRATION_TABLE } from './data-source.js';
import { applyMigrations, pendingMigrations, revertLastMigration } from './migrate.js';

/** A team's own migrations, beside the service's. */
export interface MigrationDirectory {
  /** PostgreSQL of the writers, as in `DATABASE_URL`; directly, not through a pooler. */
  readonly databaseUrl: string;
  /** Folder of pairs of SQL files, `<13 digits>-<name>.up.sql` and `.down.sql`. */
  readonly directory: string;
  /** The team's own table in which applied migrations are recorded; made when missing. */
  readonly table: string;
}

/** The folder or the table cannot be used; the message is one line that names the fix. */
export class MigrationDirectoryError extends Error {
  override readonly name = 'MigrationDirectoryError';
}

const PAIR = /^(\d{13}-[a-z0-9-]+)\.(up|down)\.sql$/;
const TABLE = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Applies a team's pending migrations, oldest first, each in a transaction of its own. Two deployers at once
 * wait for each other. Apply the service's own migrations first where the team's build on its tables.
 *
 * @returns the names of those applied, none when nothing was pending.
 * @throws {MigrationDirectoryError} before anything is changed.
 */
export function migrateDirectory(source: MigrationDirectory): Promise<string[]> {
  return withMigrations(source, applyMigrations);
}

/** The names of a team's migrations that are not applied, oldest first. */
export function pendingInDirectory(source: MigrationDirectory): Promise<string[]> {
  return withMigrations(source, pendingMigrations);
}

/** Undoes a team's last applied migration; returns its name, or undefined when none is applied. */
export function revertInDirectory(source: MigrationDirectory): Promise<string | undefined> {
  return withMigrations(source, revertLastMigration);
}

async function withMigrations<T>(
  { databaseUrl, directory, table }: MigrationDirectory,
  work: (dataSource: ReturnType<typeof writerDataSource>) => Promise<T>,
): Promise<T> {
  checkTable(table);
  checkPairs(directory);
  const dataSource = writerDataSource({ url: databaseUrl, poolSize: 2 }, { directory, table });
  await dataSource.initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function checkTable(table: string): void {
  if (!TABLE.test(table)) {
    throw new MigrationDirectoryError(
      `The table of applied migrations must be a name of a-z, 0-9 and _, at most 63 characters, not "${table}".`,
    );
  }
  if (table === MIGRATION_TABLE) {
    throw new MigrationDirectoryError(
      `The table ${MIGRATION_TABLE} is the service's own: name another for your migrations.`,
    );
  }
}

/** A file that is not recognised would be left out without a word. */
function checkPairs(directory: string): void {
  let files: string[];
  try {
    files = readdirSync(directory).filter((file) => file.endsWith('.sql'));
  } catch (cause) {
    throw new MigrationDirectoryError(`The folder ${directory} cannot be read: check its path.`, {
      cause,
    });
  }
  const wrong = files.find((file) => !PAIR.test(file));
  if (wrong !== undefined) {
    throw new MigrationDirectoryError(
      `${wrong} is not named like 1763600000000-notes.up.sql: rename it.`,
    );
  }
  const other = { up: 'down', down: 'up' } as const;
  for (const file of files) {
    const [, name = '', direction] = PAIR.exec(file) ?? [];
    const partner = `${name}.${other[direction as 'up' | 'down']}.sql`;
    if (!files.includes(partner)) {
      throw new MigrationDirectoryError(`${file} has no ${partner}: add it.`);
    }
  }
  if (files.length === 0) {
    throw new MigrationDirectoryError(
      `The folder ${directory} holds no file like 1763600000000-notes.up.sql: check its path.`,
    );
  }
}
