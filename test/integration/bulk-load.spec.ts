import { generateWorld } from '../../src/world/world-generator.js';
import type { WorldOptions } from '../../src/world/world-options.js';
import { bulkLoad } from '../bench/world/bulk-load.js';
import { load } from '../builders/load.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

/** Enough listings that some carry their dealership's name, which one in three hundred does. */
const WORLD: WorldOptions = { seed: 'bulk', buyers: 40, sets: 2, rows: 20, singles: 4, ended: 3 };
/** As many as the generator gives a world of this size. */
const DEALERSHIPS = 60;

const TABLES = [
  'buyer',
  'dealership',
  'buyer_session',
  'assistant_grant',
  'deal_set',
  'price_check',
  'question',
  'draft',
  'reply',
];

describe('the bulk load of the bench', () => {
  let imported: TestDatabase;
  let loaded: TestDatabase;

  beforeAll(async () => {
    [imported, loaded] = [await createTestDatabase(), await createTestDatabase()];
    await load(imported, [...generateWorld(WORLD)], { isBackfill: true });
    await bulkLoad(loaded.url, {
      groups: [{ name: 'everyday', from: 0, options: WORLD }],
      dealerships: DEALERSHIPS,
      threads: 1,
    });
  });
  afterAll(async () => {
    await imported.drop();
    await loaded.drop();
  });

  const both = async (sql: string): Promise<[unknown[], unknown[]]> => [
    await loaded.query(sql),
    await imported.query(sql),
  ];

  it.each(TABLES)('fills %s as the import does', async (table) => {
    const [ours, theirs] = await both(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);
    expect(theirs.length).toBeGreaterThan(0);
    expect(ours).toEqual(theirs);
  });

  it('places requests in the feed as the import does', async () => {
    const [ours, theirs] = await both(
      `SELECT buyer_id, request_id, kind, is_time_known, is_pending,
         CASE WHEN is_time_known THEN feed_at ELSE NULL END AS feed_at
       FROM request_feed ORDER BY 1, 2, 3`,
    );
    expect(theirs.length).toBeGreaterThan(0);
    expect(ours).toEqual(theirs);
  });

  it('computes the rows of the read model as the import does', async () => {
    const [ours, theirs] = await both(
      `SELECT to_jsonb(f) - 'feed_at' - 'rules_revision' AS row FROM request_feed f
       ORDER BY buyer_id, request_id, kind`,
    );
    expect(theirs.length).toBeGreaterThan(0);
    expect(ours).toEqual(theirs);
  });

  it('meets listings that must be cleaned', async () => {
    const [ours] = await both(
      `SELECT id FROM price_check WHERE listing_trim LIKE '%|%' AND shown_trim IS NULL`,
    );
    expect(ours.length).toBeGreaterThan(0);
  });

  it('leaves triggers, indexes and constraints as they were', async () => {
    const [triggers, before] = await both(
      `SELECT tgrelid::regclass::text AS tab, tgfoid::regproc::text AS called, tgenabled,
         CASE WHEN tgisinternal THEN '' ELSE tgname END AS name
       FROM pg_trigger ORDER BY 1, 2, 3, 4`,
    );
    expect(triggers).toEqual(before);
    const [indexes, were] = await both(
      `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
    );
    expect(indexes).toEqual(were);
  });
});
