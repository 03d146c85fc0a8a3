import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import { writerDataSource } from '../database/data-source.js';
import { openMigratedDatabase, type OpenDatabase } from './open-database.js';

const APPLICATION_NAME = 'deal-sets command';

/** Runs a command's work on a connection of the driver (COPY, many statements), and closes what it opened. */
export function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  return withDatabase(async ({ url }) => {
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
  });
}

/** Runs a command's work with TypeORM's repositories, and closes what it opened. */
export function withRepositories<T>(
  work: (dataSource: DataSource, settings: Settings) => Promise<T>,
): Promise<T> {
  return withDatabase(async ({ url, settings }) => {
    const dataSource = await writerDataSource({
      url,
      applicationName: APPLICATION_NAME,
      poolSize: 1,
    }).initialize();
    try {
      return await work(dataSource, settings);
    } finally {
      await dataSource.destroy();
    }
  });
}

async function withDatabase<T>(work: (database: OpenDatabase) => Promise<T>): Promise<T> {
  const database = await openMigratedDatabase(loadSettings(readEnvironment()));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
