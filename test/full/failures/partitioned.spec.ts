import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { dealership, dealSet, load, priceCheck, written } from '../../builders/index.js';
import { writerDataSource } from '../../../src/database/data-source.js';
import { MIGRATION_TABLE, migrationNames } from '../../../src/database/sql-migrations.js';
import { migrate } from '../../../src/operations/migrate.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { LIST } from '../../setup/http-call.js';
import { expectEveryResponse, WorldWithProxy } from '../../setup/world-with-proxy.js';

const MIGRATIONS = path.resolve(__dirname, '../../../migrations');
const PARTITIONS = 4;
/** Every table with data of a buyer. */
const BUYERS_TABLES = [
  'buyer_session',
  'assistant_grant',
  'deal_set',
  'price_check',
  'question',
  'draft',
  'reply',
  'request_feed',
];

/**
 * The unchanged migrations, except for how these tables are stored: partitions have their own
 * storage parameters.
 */
function partitioned(sql: string): string {
  return BUYERS_TABLES.reduce(
    (text, table) => {
      const made = new RegExp(`(CREATE TABLE deal_sets.${table} \\([\\s\\S]*?\\n\\));`);
      const parts = Array.from(
        { length: PARTITIONS },
        (_, partition) =>
          `CREATE TABLE deal_sets.${table}_${partition} PARTITION OF deal_sets.${table} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${partition});`,
      );
      return text.replace(made, `$1 PARTITION BY HASH (buyer_id);\n${parts.join('\n')}`);
    },
    sql.replace('ALTER TABLE deal_sets.request_feed SET (toast_tuple_target = 8160);', ''),
  );
}

describe('the schema with the tables of buyers partitioned by buyer', () => {
  let database: TestDatabase;
  let world: WorldWithProxy;

  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true });
    await database.query('CREATE SCHEMA deal_sets; SET search_path TO deal_sets');
    await database.query(
      `CREATE TABLE ${MIGRATION_TABLE} (id serial PRIMARY KEY, timestamp bigint, name text)`,
    );
    for (const file of readdirSync(MIGRATIONS).sort())
      await database.query(partitioned(readFileSync(path.join(MIGRATIONS, file), 'utf8')));
    for (const name of migrationNames())
      await database.query(`INSERT INTO ${MIGRATION_TABLE} (timestamp, name) VALUES ($1, $2)`, [
        name.slice(-13),
        name,
      ]);
    const dataSource = await writerDataSource({ url: database.url }).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
    world = await WorldWithProxy.open({ database });
  });
  afterAll(async () => {
    await world.stop();
    await database.drop();
  });

  it('is partitioned', async () => {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_partitioned_table`,
    );
    expect(row!.count).toBe(BUYERS_TABLES.length);
  });

  it('serves both endpoints to both principals, under the same roles', async () => {
    expectEveryResponse(await world.callEveryEndpoint(), 200);
    expect((await world.service.send('GET', '/health/ready', undefined)).status).toBe(200);
  });

  it('keeps the feed and the hiding of listing parts', async () => {
    const poll = (
      since: string,
    ): ReturnType<typeof world.service.get<{ data: { dealSetId: string }[] }>> =>
      world.service.get(`${LIST}?since=${since}`, world.buyer.assistant);
    const before = await poll('1970-01-01T00:00:00Z');
    const set = dealSet({ buyerId: world.buyer.id });
    const seller = dealership({ name: 'Thistledown Cars' });
    const row = priceCheck({
      buyerId: world.buyer.id,
      dealSetId: set.id,
      dealershipId: seller.id,
      listing: { year: 2025, make: 'Honda', model: 'CR-V', trim: 'Thistledown Cars special' },
      ...written(3_000_000),
    });
    await load(database, [set, seller, row]);
    const after = await poll(before.headers['service-as-of'] as string);
    expect(after.body.data.map(({ dealSetId }) => dealSetId)).toContain(set.id);
    const result = await world.service.get(`${LIST}/${set.id}`, world.buyer.session);
    expect(result.text).toContain(row.id);
    expect(result.text).not.toContain('Thistledown');
  });
});
