import type { DataSource } from 'typeorm';
import { writerDataSource } from '../../src/database/data-source.js';
import {
  applyMigrations,
  pendingMigrations,
  revertLastMigration,
} from '../../src/database/migrate.js';
import { migrationNames } from '../../src/database/sql-migrations.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

describe('migrations', () => {
  const all = migrationNames();
  let database: TestDatabase;
  let deployers: DataSource[];

  beforeEach(async () => {
    database = await createTestDatabase({ isEmpty: true });
    deployers = await Promise.all(
      [0, 1].map(() => writerDataSource({ url: database.url }).initialize()),
    );
  });
  afterEach(async () => {
    await Promise.all(deployers.map((deployer) => deployer.destroy()));
    await database.drop();
  });

  /** Everything the migrations make, in words. */
  async function schema(): Promise<string[]> {
    const rows = await database.query<{ line: string }>(`
      SELECT format('column %s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) AS line
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT format('trigger %s %s', tgenabled, pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT format('function %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT format('grant %s %s %s', table_name, column_name, grantee || privilege_type)
        FROM information_schema.column_privileges WHERE grantee LIKE 'deal\\_sets\\_%'
      UNION ALL SELECT format('domain %s', typname) FROM pg_type
        WHERE typnamespace = 'public'::regnamespace AND typtype = 'd'
      ORDER BY 1`);
    return rows.map(({ line }) => line).filter((line) => !line.includes('schema_migration'));
  }

  it('come in pairs, in the order of their times', () => {
    expect(all.length).toBeGreaterThanOrEqual(4);
    const times = all.map((name) => Number(name.slice(-13)));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('go up, all the way down, and up again to the same schema', async () => {
    const [dataSource] = deployers as [DataSource];
    expect(await pendingMigrations(dataSource)).toEqual(all);
    expect(await schema()).toEqual([]);

    expect(await applyMigrations(dataSource)).toEqual(all);
    expect(await pendingMigrations(dataSource)).toEqual([]);
    const first = await schema();
    expect(first.length).toBeGreaterThan(100);

    for (const name of [...all].reverse()) {
      expect(await revertLastMigration(dataSource)).toBe(name);
    }
    expect(await revertLastMigration(dataSource)).toBeUndefined();
    expect(await schema()).toEqual([]);
    expect(await pendingMigrations(dataSource)).toEqual(all);

    expect(await applyMigrations(dataSource)).toEqual(all);
    expect(await schema()).toEqual(first);
  });

  it('name what is pending after one is undone', async () => {
    const [dataSource] = deployers as [DataSource];
    await applyMigrations(dataSource);
    const last = await revertLastMigration(dataSource);
    expect(await pendingMigrations(dataSource)).toEqual([last]);
    expect(await applyMigrations(dataSource)).toEqual([last]);
  });

  it('are applied once by two deployers at once', async () => {
    const applied = await Promise.all(deployers.map((deployer) => applyMigrations(deployer)));
    expect(applied.map((names) => names.length).sort()).toEqual([0, all.length]);
    expect(await pendingMigrations(deployers[0]!)).toEqual([]);
  });

  it('fill what is internal without a trace in the feed, and leave the version before at work', async () => {
    const [dataSource] = deployers as [DataSource];
    await applyMigrations(dataSource);
    while ((await pendingMigrations(dataSource)).length < all.length - 4) {
      await revertLastMigration(dataSource);
    }
    const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    await database.query('INSERT INTO buyer (id) VALUES ($1)', [id(1)]);
    await database.query(`INSERT INTO dealership (id, name) VALUES ($1, 'Lakeside Motors')`, [
      id(2),
    ]);
    await database.query(
      `INSERT INTO price_check (buyer_id, id, dealership_id, requested_at, listing_trim)
       VALUES ($1, $2, $3, '2026-01-01Z', 'EX')`,
      [id(1), id(3), id(2)],
    );
    await database.query(
      `INSERT INTO reply (buyer_id, id, price_check_id, received_at)
       VALUES ($1, $2, $4, '2026-01-01T00:00:00.1239Z'), ($1, $3, $4, now() + interval '1 hour')`,
      [id(1), id(4), id(5), id(3)],
    );
    const triggers = (): Promise<object[]> =>
      database.query(
        `SELECT tgname, tgenabled FROM pg_trigger
         WHERE NOT tgisinternal AND tgname ~ '^t[134]_' ORDER BY tgrelid::regclass::text, tgname`,
      );
    const feed = (): Promise<object[]> =>
      database.query('SELECT feed_at, is_time_known, is_pending FROM request_feed');
    const [placesBefore, triggersBefore] = [await feed(), await triggers()];

    const [clock] = await database.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    await applyMigrations(dataSource);
    expect(await feed()).toEqual(placesBefore);
    expect(await triggers()).toEqual(triggersBefore);
    const replies = await database.query<{ feed_at: Date }>(
      'SELECT feed_at FROM reply ORDER BY received_at',
    );
    expect(replies[0]!.feed_at.toISOString()).toBe('2026-01-01T00:00:00.123Z');
    expect(replies[1]!.feed_at.getTime()).toBeGreaterThanOrEqual(clock!.at.getTime() - 1);
    expect(replies[1]!.feed_at.getTime()).toBeLessThan(clock!.at.getTime() + 60_000);

    // How the version before looks replies up.
    for (const role of ['deal_sets_reader', 'deal_sets_assistant']) {
      await database.query(`SET ROLE ${role}`);
      const counted = await database.query(
        `SELECT r.request_id, count(*)::int AS count, max(r.received_at) AS latest_at FROM reply r
         WHERE r.buyer_id = $1 AND r.request_id = ANY ($2::uuid[]) AND r.received_at > '1970-01-01Z'
           AND r.received_at <= statement_timestamp() GROUP BY 1`,
        [id(1), [id(3)]],
      );
      expect(counted).toMatchObject([{ count: 1 }]);
      await database.query('RESET ROLE');
    }
  });
});
