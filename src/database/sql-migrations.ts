import { readdirSync, readFileSync } from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { asOneStatement } from './sql-files.js';

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
export function sqlMigrations(): (new () => MigrationInterface)[] {
  const files = readdirSync(DIRECTORY).filter((file) => /^\d{13}-.+\.sql$/.test(file));
  return files.sort().map(
    (file) =>
      class implements MigrationInterface {
        // TypeORM orders migrations by the thirteen digits at the end of their names.
        readonly name = file.replace(/^(\d+)-(.+)\.sql$/, '$2-$1');

        async up(queryRunner: QueryRunner): Promise<void> {
          await queryRunner.query(asOneStatement(readFileSync(new URL(file, DIRECTORY), 'utf8')));
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
