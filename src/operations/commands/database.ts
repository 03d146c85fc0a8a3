import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Settings } from '../../config/settings.js';
import { CommandError, unknownBuyer } from './command-error.js';

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
  const { loadServiceSettings } = await import('../../config/service-settings.js');
  const { settings } = loadServiceSettings();
  const { url, passwordFile, readerUrl } = settings.database;
  if (url === undefined) {
    throw new CommandError(
      readerUrl === undefined
        ? `DATABASE_URL: expected to be set to the database that the command works on. ${WITHOUT_DATABASE}`
        : 'DATABASE_URL: expected to be set, because a command writes and DATABASE_READER_URL can only read.',
    );
  }
  const [{ writerDataSource }, { pendingChanges }] = await Promise.all([
    import('../../database/data-source.js'),
    import('../migrate.js'),
  ]);
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

/**
 * Checks that a buyer is in the database.
 *
 * @throws {CommandError} otherwise.
 */
export async function assertBuyerExists(client: Client, id: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM deal_sets.buyer WHERE id = $1', [id]);
  if (rowCount === 0) throw unknownBuyer(id);
}
