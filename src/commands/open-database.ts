import type { Settings } from '../config/settings.js';
import { withDatabaseUrl } from '../config/derive-settings.js';
import { writerDataSource } from '../database/data-source.js';
import { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { ForeignDatabase, migrate, pendingChanges } from '../database/migrate.js';
import { CommandError } from './command-error.js';

/** The writers' database, however it came about. */
export interface OpenDatabase {
  readonly url: string;
  /** The settings with the database's address in them. */
  readonly settings: Settings;
  /** The embedded PostgreSQL of another process in this folder, with which it stops. */
  readonly isShared: boolean;
  /** Stops the embedded PostgreSQL when this process started it. */
  close(): Promise<void>;
}

/**
 * The configured PostgreSQL, or the embedded one, with the tables it has.
 *
 * @throws {CommandError} when only addresses for reading are configured.
 */
export async function openDatabase(settings: Settings): Promise<OpenDatabase> {
  if (settings.database.url !== undefined) {
    return {
      url: settings.database.url,
      settings,
      isShared: false,
      close: () => Promise.resolve(),
    };
  }
  if (settings.database.readerUrl !== undefined) {
    throw new CommandError(
      'DATABASE_URL: expected to be set, because a command writes: DATABASE_READER_URL only reads.',
    );
  }
  const embedded = await EmbeddedPostgres.attachOrStart();
  return {
    url: embedded.url,
    settings: withDatabaseUrl(settings, embedded.url),
    isShared: !embedded.isOwner,
    close: () => embedded.stop(),
  };
}

/**
 * The database with the tables of this version. The embedded one is brought there; one that is
 * operated is not changed.
 *
 * @throws {CommandError} when migrations are pending on an operated database.
 */
export async function openMigratedDatabase(settings: Settings): Promise<OpenDatabase> {
  const database = await openDatabase(settings);
  try {
    const isEmbedded = settings.database.url === undefined;
    const dataSource = await writerDataSource({ url: database.url, poolSize: 1 }).initialize();
    try {
      if (isEmbedded) {
        await migrate(dataSource);
      } else if ((await pendingChanges(dataSource)).length > 0) {
        throw new CommandError('The database is not up to date: run `deal-sets migrate` first.');
      }
    } finally {
      await dataSource.destroy();
    }
  } catch (error) {
    await database.close();
    throw error instanceof ForeignDatabase ? new CommandError(error.message) : error;
  }
  return database;
}
