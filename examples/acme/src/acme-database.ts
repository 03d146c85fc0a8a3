import {
  Column,
  DataSource,
  Entity,
  PrimaryColumn,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';

/**
 * Acme's rating of a price. It is stored in Acme's own table and shown by the field in `scores.ts`.
 */
@Entity('acme_score')
export class Score {
  @PrimaryColumn({ name: 'price_check_id', type: 'uuid' }) priceCheckId!: string;
  @Column({ type: 'integer' }) score!: number;
}

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

/** Runs `work` on Acme's own data source, which can write; the service's data sources only read. */
export async function withAcmeDatabase<T>(
  url: string,
  work: (database: DataSource) => Promise<T>,
): Promise<T> {
  const database = new DataSource({
    type: 'postgres',
    url,
    installExtensions: false,
    entities: [Score],
    migrations: [Scores1763700000000],
    migrationsTableName: 'acme_migration',
  });
  await database.initialize();
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/**
 * Applies Acme's migrations. Run it after `deal-sets migrate`. TypeORM records Acme's migrations in
 * a separate table.
 */
export async function migrateAcme(url: string): Promise<void> {
  await withAcmeDatabase(url, (database) => database.runMigrations());
}
