import { Client } from 'pg';
import { loadSettings } from '../config/load-settings.js';
import { readEnvironment } from '../config/read-environment.js';
import type { Settings } from '../config/settings.js';
import { openMigratedDatabase } from './open-database.js';

/** Runs a command's work on a connection of the writers, and closes what it opened. */
export async function withClient<T>(
  work: (client: Client, settings: Settings) => Promise<T>,
): Promise<T> {
  const database = await openMigratedDatabase(loadSettings(readEnvironment()));
  try {
    const client = new Client({
      connectionString: database.url,
      application_name: 'deal-sets command',
      connectionTimeoutMillis: 5_000,
    });
    // A lost connection fails the current statement, which reports it.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client, database.settings);
    } finally {
      await client.end().catch(() => undefined);
    }
  } finally {
    await database.close();
  }
}
