import type { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { TypeOverrides, types } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { ENTITIES, SCHEMA } from './entities.js';
import { addressOptions } from './address-options.js';

/**
 * Converts PostgreSQL's `2026-11-20 10:00:00.1234+00` to `2026-11-20T10:00:00.123Z`. Slicing the
 * text takes a tenth of the time of parsing and printing a Date.
 */
function isoFromPg(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, -3).slice(0, 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/**
 * Type parsers of the writers' connections. They parse `bigint` values as numbers, because no
 * column exceeds the exact range of a number.
 */
export const rowTypes = new TypeOverrides();
rowTypes.setTypeParser(types.builtins.INT8, Number);

/**
 * Type parsers of the reads' connections: those of the writers, with times as text in the service's
 * format.
 */
export const textTimes = new TypeOverrides(rowTypes);
textTimes.setTypeParser(types.builtins.TIMESTAMPTZ, isoFromPg);
textTimes.setTypeParser(types.builtins.TIMESTAMP, String);
textTimes.setTypeParser(types.builtins.DATE, String);

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
      ...addressOptions({ url: options.url, passwordFile }),
    },
  });
}

/** The table in which TypeORM records the applied migrations. */
export const MIGRATION_TABLE = 'schema_migration';

/**
 * The package's directory of migrations: two levels above this file, both in the sources and in the
 * build.
 */
const DIRECTORY = new URL('../../migrations/', import.meta.url);

/**
 * Wraps each SQL file `<time>-<name>.sql` as a TypeORM migration with its own transaction. There is
 * no `down`: a later migration corrects an earlier one.
 */
function sqlMigrations(): (new () => MigrationInterface)[] {
  const files = readdirSync(DIRECTORY).filter((file) => /^\d{13}-.+\.sql$/.test(file));
  return files.sort().map(
    (file) =>
      class implements MigrationInterface {
        // TypeORM orders migrations by the thirteen digits at the end of their names.
        readonly name = file.replace(/^(\d+)-(.+)\.sql$/, '$2-$1');

        async up(queryRunner: QueryRunner): Promise<void> {
          await queryRunner.query(readFileSync(new URL(file, DIRECTORY), 'utf8'));
        }

        down(): Promise<void> {
          return Promise.reject(new Error('migrations cannot be reverted: restore a backup'));
        }
      },
  );
}

/** Returns the names under which applied migrations are recorded, oldest first. */
export function migrationNames(): string[] {
  return sqlMigrations().map((migration) => new migration().name ?? '');
}
