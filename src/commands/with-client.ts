import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import { writerDataSource } from '../database/data-source.js';
import { pendingChanges } from '../database/migrate.js';
import { CommandError } from './command-line.js';

/** @throws {CommandError} where only addresses for reading, or none, are configured. */
function writerUrl({ database }: Settings): string {
  if (database.url !== undefined) return database.url;
  throw new CommandError(
    database.readerUrl === undefined
      ? 'DATABASE_URL: expected to be set, to the database that the command works on. To try the service without one: npm run demo.'
      : 'DATABASE_URL: expected to be set, because a command writes: DATABASE_READER_URL only reads.',
  );
}

/** Runs a command's work on the database of the writers, migrated or not, and closes what it opened. */
export async function withDatabase<T>(
  work: (dataSource: DataSource, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = loadSettings(readEnvironment());
  const dataSource = writerDataSource({
    url: writerUrl(settings),
    applicationName: 'deal-sets command',
    poolSize: 2,
  });
  await dataSource.initialize();
  try {
    return await work(dataSource, settings);
  } finally {
    await dataSource.destroy();
  }
}

/** Runs a command's work with TypeORM's repositories, on a database that is up to date. */
export async function withRepositories<T>(
  work: (dataSource: DataSource, settings: Settings) => Promise<T>,
): Promise<T> {
  return withDatabase(async (dataSource, settings) => {
    if ((await pendingChanges(dataSource)).length > 0) {
      throw new CommandError('The database is not up to date: run `deal-sets migrate` first.');
    }
    return work(dataSource, settings);
  });
}

/** Runs a command's work on a connection of the driver (COPY, many statements), which is closed then. */
export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  return withRepositories(async ({ driver }) => {
    const obtained = await (driver as PostgresDriver).obtainMasterConnection();
    const [client, release] = obtained as [Client, (isBroken: boolean) => void];
    try {
      return await work(client);
    } finally {
      release(true);
    }
  });
}
