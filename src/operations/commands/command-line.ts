import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { loadServiceSettings } from '../../config/service-settings.js';
import type { Settings } from '../../config/settings.js';
import { writerDataSource } from '../../database/data-source.js';
import { pendingChanges } from '../migrate.js';

/** The error of a command that cannot do its work. The message is one line that states the fix. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** The exit code of the process. */
  readonly exitCode: number = 1;
}

/**
 * Checks that a buyer is in the database.
 *
 * @throws {CommandError} otherwise.
 */
export async function assertBuyerExists(client: Client, id: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM deal_sets.buyer WHERE id = $1', [id]);
  if (rowCount === 0) throw unknownBuyer(id);
}

/** Returns the error of a command about a buyer who is not in the database. */
export function unknownBuyer(id: string): CommandError {
  return new CommandError(`There is no buyer ${id}: import one, or check the id.`);
}

/** The exit codes of a process that a signal ended, as a shell reports them. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/** The error of a command that a signal interrupted. */
export class InterruptedError extends CommandError {
  constructor(
    message: string,
    override readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * Runs work that SIGINT or SIGTERM aborts. A second signal has its usual effect and ends the
 * process.
 *
 * @param message what the command prints when it was interrupted.
 * @param work gets the signal whose reason is an `InterruptedError`.
 */
export async function interruptible<T>(
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (name: keyof typeof SIGNAL_EXIT_CODES): void =>
    interruption.abort(new InterruptedError(message, SIGNAL_EXIT_CODES[name]));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** Writes a line for people to standard error. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes a line of the command's result to standard output. */
export function printResult(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns a function that writes the notes of a long command, at most one every two seconds. */
export function notesAtTimes(): (line: string) => void {
  let lastAt = Date.now();
  return (line) => {
    if (Date.now() - lastAt < 2_000) return;
    lastAt = Date.now();
    printNote(line);
  };
}

/** Formats a number for people: `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats a number with its noun: `1 buyer`, `2 buyers`. */
export function countOf(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(value)} ${value === 1 ? singular : plural}`;
}

/** What to do without a database, for messages about a missing address. */
export const WITHOUT_DATABASE = 'To try the service without one: npm run demo.';

type Work<Connection, T> = (connection: Connection, settings: Settings) => Promise<T>;

/**
 * Runs a command's work on the primary, with TypeORM. `mayBePending` allows a database that is not
 * up to date.
 */
export async function withDatabase<T>(
  work: Work<DataSource, T>,
  { mayBePending = false } = {},
): Promise<T> {
  const { settings } = loadServiceSettings();
  const { url, passwordFile, readerUrl } = settings.database;
  if (url === undefined) {
    throw new CommandError(
      readerUrl === undefined
        ? `DATABASE_URL: expected to be set to the database that the command works on. ${WITHOUT_DATABASE}`
        : 'DATABASE_URL: expected to be set, because a command writes and DATABASE_READER_URL can only read.',
    );
  }
  const dataSource = writerDataSource({
    url,
    passwordFile,
    applicationName: 'deal-sets command',
    poolSize: 2,
  });
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

/**
 * Runs a command's work on a connection of the driver, for COPY or many statements, and closes it.
 */
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
