import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';

/** How Acme rates a price: a field of a row, see `scores.ts`. */
class Scores1763700000000 implements MigrationInterface {
  readonly name = 'Scores1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE acme_score (price_check_id uuid PRIMARY KEY, score integer NOT NULL)',
    );
    await runner.query('GRANT SELECT ON acme_score TO deal_sets_reader');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_score');
  }
}

/** Applies Acme's migrations, after `deal-sets migrate`; TypeORM records them in a table of Acme's. */
export async function migrateAcme(url: string): Promise<void> {
  const database = new DataSource({
    type: 'postgres',
    url,
    installExtensions: false,
    migrations: [Scores1763700000000],
    migrationsTableName: 'acme_migration',
  });
  await database.initialize();
  try {
    await database.runMigrations();
  } finally {
    await database.destroy();
  }
}
