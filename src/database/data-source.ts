import type { EventEmitter } from 'node:events';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { ENTITIES } from './entities.js';
import { rowTypes } from './row-types.js';
import { sqlMigrations } from './sql-migrations.js';

/** Table in which applied migrations are recorded. */
export const MIGRATION_TABLE = 'schema_migration';

/** Of every connection, as the driver's pool takes them. */
export const POOL_OPTIONS = {
  keepAlive: true,
  // Sooner than routers and firewalls forget a connection on which nothing is said.
  keepAliveInitialDelayMillis: 30_000,
  // Its borrower has the error of a connection that breaks; without a listener it would end the process.
  onConnect: (client: EventEmitter): void => {
    client.on('error', () => undefined);
  },
};

/** Of every data source. The schema is the migrations' alone: nothing is ever synchronised from entities. */
export const SOURCE_OPTIONS = {
  type: 'postgres',
  entities: ENTITIES,
  synchronize: false,
  installExtensions: false,
  // A driver's message may hold values.
  logging: false,
  // The borrower of a connection gets its error; a connection that fails while idle is replaced.
  poolErrorHandler: (): void => undefined,
} as const satisfies Partial<DataSourceOptions>;

type WriterOptions = Pick<PostgresDataSourceOptions, 'applicationName' | 'poolSize'>;

/**
 * A data source of the commands, with the service's migrations; not yet connected (`initialize()` does that).
 *
 * @param options `url` of the PostgreSQL of the writers; `applicationName` is shown in `pg_stat_activity`.
 */
export function writerDataSource(options: WriterOptions & { readonly url: string }): DataSource {
  return new DataSource({
    ...SOURCE_OPTIONS,
    applicationName: 'deal-sets',
    poolSize: 5,
    ...options,
    connectTimeoutMS: 5_000,
    migrations: sqlMigrations(),
    migrationsTableName: MIGRATION_TABLE,
    migrationsTransactionMode: 'each',
    extra: { types: rowTypes, ...POOL_OPTIONS },
  });
}
