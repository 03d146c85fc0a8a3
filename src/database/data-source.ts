import type { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { TypeOverrides, types } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { ENTITIES } from './entities.js';

/**
 * PostgreSQL's `2026-11-20 10:00:00.1234+00` as `2026-11-20T10:00:00.123Z`. Cutting text costs a tenth of what parsing
 * a Date and printing it does.
 */
function isoFromPg(text: string): string {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.charCodeAt(19) === 46 /* . */ ? text.slice(20, -3).slice(0, 3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** How values arrive on the writers' connections: no `bigint` column exceeds what a number holds exactly. */
export const rowTypes = new TypeOverrides();
rowTypes.setTypeParser(types.builtins.INT8, Number);

/** How values arrive in a read: the same, and times as the service writes them. */
export const textTimes = new TypeOverrides(rowTypes);
textTimes.setTypeParser(types.builtins.TIMESTAMPTZ, isoFromPg);
textTimes.setTypeParser(types.builtins.TIMESTAMP, String);
textTimes.setTypeParser(types.builtins.DATE, String);

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
} as const satisfies Partial<PostgresDataSourceOptions>;

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
    extra: { types: rowTypes, ...POOL_OPTIONS },
  });
}

export const MIGRATION_TABLE = 'schema_migration';

/** The package's folder of migrations: two levels up from here, in the sources as in the build. */
const DIRECTORY = new URL('../../migrations/', import.meta.url);

/**
 * The migrations as TypeORM runs them, each an SQL file `<time>-<name>.sql` in a transaction of its own. There is no way
 * down: a later migration takes back what was wrong.
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
          return Promise.reject(new Error('there is no way down: restore a backup'));
        }
      },
  );
}

/** The names under which applied migrations are recorded, oldest first. */
export function migrationNames(): string[] {
  return sqlMigrations().map((migration) => new migration().name ?? '');
}
