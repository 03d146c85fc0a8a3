import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { loadSettings, type Settings } from '../../config/settings.js';
import { writerDataSource } from '../../database/data-source.js';
import { pendingChanges } from '../schema/migrate.js';

/** A command cannot do its work; the message is one line that names the way out. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function printResult(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Of a command that goes on for long: writes notes, but at most one in two seconds. */
export function notesAtTimes(): (line: string) => void {
  let lastAt = Date.now();
  return (line) => {
    if (Date.now() - lastAt < 2_000) return;
    lastAt = Date.now();
    printNote(line);
  };
}

/** A number as a person reads it: `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

type Work<Connection, T> = (connection: Connection, settings: Settings) => Promise<T>;

/** Runs a command's work on the writers' database; `mayBePending`: also on one that is not up to date. */
export async function withDatabase<T>(
  work: Work<DataSource, T>,
  { mayBePending = false } = {},
): Promise<T> {
  const settings = loadSettings();
  const { url, readerUrl } = settings.database;
  if (url === undefined) {
    throw new CommandError(
      readerUrl === undefined
        ? 'DATABASE_URL: expected to be set, to the database that the command works on. To try the service without one: npm run demo.'
        : 'DATABASE_URL: expected to be set, because a command writes: DATABASE_READER_URL only reads.',
    );
  }
  const dataSource = writerDataSource({ url, applicationName: 'deal-sets command', poolSize: 2 });
  await dataSource.initialize();
  try {
    if (!mayBePending && (await pendingChanges(dataSource)).length > 0) {
      throw new CommandError('The database is not up to date: run `deal-sets migrate` first.');
    }
    return await work(dataSource, settings);
  } finally {
    await dataSource.destroy();
  }
}

/** Runs a command's work on a connection of the driver (COPY, many statements), which is closed then. */
export async function withClient<T>(work: Work<Client, T>): Promise<T> {
  return withDatabase(async ({ driver }, settings) => {
    const obtained = await (driver as PostgresDriver).obtainMasterConnection();
    const [client, release] = obtained as [Client, (isBroken: boolean) => void];
    try {
      return await work(client, settings);
    } finally {
      release(true);
    }
  });
}
