import type { EventEmitter } from 'node:events';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ENTITIES } from './entities.js';
import { rowTypes } from './row-types.js';
import { sqlMigrations } from './sql-migrations.js';

/** Table in which applied migrations are recorded. */
export const MIGRATION_TABLE = 'schema_migration';

export interface WriterOptions {
  /** Address of the PostgreSQL of the writers. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  readonly poolSize?: number;
}

/** Of every connection, as the driver's pool takes them. */
export const CONNECTION_OPTIONS = {
  keepAlive: true,
  // Sooner than routers and firewalls forget a connection on which nothing is said.
  keepAliveInitialDelayMillis: 30_000,
  // Its borrower has the error of a connection that breaks; without a listener it would end the process.
  onConnect: (client: EventEmitter): void => {
    client.on('error', () => undefined);
  },
};

/**
 * TypeORM's options for the database of the writers. The schema is the migrations' alone: nothing is ever
 * synchronised from entities.
 */
export function writerOptions({
  url,
  applicationName = 'deal-sets',
  poolSize = 5,
}: WriterOptions): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName,
    poolSize,
    connectTimeoutMS: 5_000,
    entities: ENTITIES,
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logging: false,
    // The borrower of a connection gets its error; a connection that fails while idle is replaced.
    poolErrorHandler: () => undefined,
    extra: { types: rowTypes(), ...CONNECTION_OPTIONS },
  };
}

/** A data source of the commands, with the service's migrations; not yet connected (`initialize()` does that). */
export function writerDataSource(options: WriterOptions): DataSource {
  return new DataSource({
    ...writerOptions(options),
    migrations: sqlMigrations(),
    migrationsTableName: MIGRATION_TABLE,
    migrationsTransactionMode: 'each',
  });
}
