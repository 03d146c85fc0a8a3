import { DataSource } from 'typeorm';
import { ENTITIES } from './entities/entities.js';
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

/**
 * TypeORM on the database of the writers, not yet connected (`initialize()` does that). The schema is the
 * migrations' alone: nothing is ever synchronised from entities.
 */
export function writerDataSource({
  url,
  applicationName = 'deal-sets',
  poolSize = 5,
}: WriterOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName,
    poolSize,
    connectTimeoutMS: 5_000,
    entities: ENTITIES,
    migrations: sqlMigrations(),
    migrationsTableName: MIGRATION_TABLE,
    migrationsTransactionMode: 'each',
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logging: false,
    // The borrower of a connection gets its error; a connection that fails while idle is replaced.
    poolErrorHandler: () => undefined,
    extra: { types: rowTypes() },
  });
}
