import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import { writerDataSource } from '../database/data-source.js';
import { ForeignDatabase, pendingChanges } from '../database/migrate.js';
import { CommandError } from './command-error.js';

const APPLICATION_NAME = 'deal-sets command';

/** @throws {CommandError} where only addresses for reading, or none, are configured. */
export function writerUrl({ database }: Settings): string {
  if (database.url !== undefined) return database.url;
  throw new CommandError(
    database.readerUrl === undefined
      ? 'DATABASE_URL: expected to be set, to the database that the command works on. To try the service without one: npm run demo.'
      : 'DATABASE_URL: expected to be set, because a command writes: DATABASE_READER_URL only reads.',
  );
}

/** Runs a command's work on a connection of the driver (COPY, many statements), and closes what it opened. */
export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const url = writerUrl(loadSettings(readEnvironment()));
  await assertMigrated(url);
  const client = new Client({
    connectionString: url,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: 5_000,
    // One that is silently lost ends the command.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  });
  // A lost connection fails the current statement, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Runs a command's work with TypeORM's repositories, and closes what it opened. */
export async function withRepositories<T>(
  work: (dataSource: DataSource, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = loadSettings(readEnvironment());
  const url = writerUrl(settings);
  await assertMigrated(url);
  return withDataSource(url, (dataSource) => work(dataSource, settings));
}

async function assertMigrated(url: string): Promise<void> {
  await withDataSource(url, async (dataSource) => {
    const pending = await pendingChanges(dataSource).catch((error: unknown) => {
      throw error instanceof ForeignDatabase ? new CommandError(error.message) : error;
    });
    if (pending.length === 0) return;
    throw new CommandError('The database is not up to date: run `deal-sets migrate` first.');
  });
}

async function withDataSource<T>(
  url: string,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = await writerDataSource({
    url,
    applicationName: APPLICATION_NAME,
    poolSize: 1,
  }).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
