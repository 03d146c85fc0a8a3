import { DataSource } from 'typeorm';
import { ENTITIES } from './entities/entities.js';
import { rowTypes } from './row-types.js';
import { MIGRATIONS_DIRECTORY, sqlMigrations } from './sql-migrations.js';

/** Table in which applied migrations are recorded. */
export const MIGRATION_TABLE = 'schema_migration';

export interface WriterOptions {
  /** Address of the PostgreSQL of the writers. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  readonly poolSize?: number;
  /** Other migrations than the service's, recorded in a table of their own. */
  readonly migrations?: { readonly directory: string; readonly table: string };
}

/**
 * TypeORM on the database of the writers, not yet connected (`initialize()` does that). The schema is the
 * migrations' alone: nothing is ever synchronised from entities.
 */
export function writerDataSource({
  url,
  applicationName = 'deal-sets',
  poolSize = 5,
  migrations = { directory: MIGRATIONS_DIRECTORY, table: MIGRATION_TABLE },
}: WriterOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName,
    poolSize,
    connectTimeoutMS: 5_000,
    entities: ENTITIES,
    migrations: sqlMigrations(migrations.directory),
    migrationsTableName: migrations.table,
    migrationsTransactionMode: 'each',
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logging: false,
    // Whoever borrows a connection learns of its death; one that dies idle is simply replaced.
    poolErrorHandler: () => undefined,
    extra: { types: rowTypes() },
  });
}
