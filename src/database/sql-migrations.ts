import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { MIGRATIONS_DIRECTORY } from './migrations-directory.js';

export { MIGRATIONS_DIRECTORY } from './migrations-directory.js';

type MigrationClass = new () => MigrationInterface;

const FILE = /^(\d{13})-([a-z0-9-]+)\.up\.sql$/;

/**
 * The migrations as TypeORM runs them. Each is a pair of SQL files, `<time>-<name>.up.sql` and
 * `.down.sql`, run as it is written, in a transaction of its own.
 */
export function sqlMigrations(): MigrationClass[] {
  return readdirSync(MIGRATIONS_DIRECTORY)
    .sort()
    .flatMap((file) => {
      const [, time, name] = FILE.exec(file) ?? [];
      return time && name ? [migrationClass(time, name)] : [];
    });
}

/** The names under which applied migrations are recorded, oldest first. */
export function migrationNames(): string[] {
  return sqlMigrations().map((migration) => new migration().name ?? '');
}

function migrationClass(time: string, name: string): MigrationClass {
  const read = (direction: 'up' | 'down'): string =>
    readFileSync(path.join(MIGRATIONS_DIRECTORY, `${time}-${name}.${direction}.sql`), 'utf8');
  return class implements MigrationInterface {
    // TypeORM orders migrations by the thirteen digits at the end of their names.
    readonly name = `${name}-${time}`;

    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(read('up'));
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(read('down'));
    }
  };
}
