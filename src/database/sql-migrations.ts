import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The package's folder of migrations: two levels up from here, in the sources as in the build. */
const DIRECTORY = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * The migrations as TypeORM runs them: tables, domains and indexes. Each is an SQL file, `<time>-<name>.sql`, run as it
 * is written, in a transaction of its own. There is no way down: a later migration takes back what was wrong.
 */
export function sqlMigrations(): (new () => MigrationInterface)[] {
  const files = readdirSync(DIRECTORY).filter((file) => file.endsWith('.sql'));
  return files.sort().map(
    (file) =>
      class implements MigrationInterface {
        // TypeORM orders migrations by the thirteen digits at the end of their names.
        readonly name = file.replace(/^(\d+)-(.+)\.sql$/, '$2-$1');

        async up(queryRunner: QueryRunner): Promise<void> {
          await queryRunner.query(readFileSync(path.join(DIRECTORY, file), 'utf8'));
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
