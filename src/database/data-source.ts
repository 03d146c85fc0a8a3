import type { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { addressOptions } from './address-options.js';
import { ENTITIES, SCHEMA } from './entities.js';
import { rowTypes } from './row-types.js';
import { SET_OUTPUT } from './session-settings.js';
import { MIGRATION_TABLE, sqlMigrations } from './sql-migrations.js';

/** Options of every connection pool: keep-alive, and a listener for errors of its connections. */
export const POOL_OPTIONS = {
  keepAlive: true,
  // Shorter than the time after which routers and firewalls drop an idle connection.
  keepAliveInitialDelayMillis: 30_000,
  // The code that uses a broken connection receives its error. Without a listener, the error would
  // also end the process.
  onConnect: (client: EventEmitter): void => {
    client.on('error', () => undefined);
  },
};

/**
 * Options of every data source. Only migrations change the schema: nothing is synchronized from
 * entities.
 */
export const SOURCE_OPTIONS = {
  type: 'postgres',
  entities: ENTITIES,
  synchronize: false,
  installExtensions: false,
  // Logging is off, because a message of the driver may contain values.
  logging: false,
  // The code that uses a connection receives its error. A connection that fails while idle is
  // replaced.
  poolErrorHandler: (): void => undefined,
} as const satisfies Partial<PostgresDataSourceOptions>;

/** Connection options of the commands, which write to the primary. */
export interface WriterOptions extends Pick<
  PostgresDataSourceOptions,
  'applicationName' | 'poolSize'
> {
  /** The address of the primary. */
  readonly url: string;
  /**
   * The file that contains the password, for a `url` without one. It is read for each new
   * connection.
   */
  readonly passwordFile?: string | undefined;
}

/**
 * Creates a data source for the commands, with the service's migrations. It is not connected yet:
 * call `initialize()`.
 *
 * @param options `applicationName` is shown in `pg_stat_activity`.
 */
export function writerDataSource({ passwordFile, ...options }: WriterOptions): DataSource {
  return new DataSource({
    ...SOURCE_OPTIONS,
    applicationName: 'deal-sets',
    poolSize: 5,
    ...options,
    connectTimeoutMS: 5_000,
    migrations: sqlMigrations(),
    // The schema of the table of applied migrations. Each entity names its schema itself.
    schema: SCHEMA,
    migrationsTableName: MIGRATION_TABLE,
    extra: {
      types: rowTypes,
      ...POOL_OPTIONS,
      // A statement and not a startup option, which poolers reject.
      onConnect: async (client: Client): Promise<void> => {
        POOL_OPTIONS.onConnect(client);
        await client.query(SET_OUTPUT);
      },
      ...addressOptions({ url: options.url, passwordFile }),
    },
  });
}
