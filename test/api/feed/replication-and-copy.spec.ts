import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '../../setup/test-database.js';
import { eventually } from '../../setup/eventually.js';
import { EPOCH, FeedWorld, idsOf, insertSingle, setPrice, type FeedBuyer } from './feed-world.js';
import { ReplicatedCluster } from './replicated-cluster.js';

/** Changes that do not come by an ordinary commit: prepared transactions, and rows from another database. */
describe('changes that arrive in other ways', () => {
  let cluster: ReplicatedCluster;
  let database: TestDatabase;
  let world: FeedWorld;
  let anna: FeedBuyer;
  let single: string;
  let set: string;

  beforeAll(async () => {
    cluster = await ReplicatedCluster.start();
    database = await cluster.database('main');
    world = await FeedWorld.start({ buyers: 10, database, env: { FEED_MARGIN_MS: '0' } });
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    await cluster.stop();
  });
  beforeEach(async () => {
    anna = world.next();
    const made = await world.history(anna, 1, 1);
    [single] = made.singles as [string];
    [set] = made.sets as [string];
  });

  const caughtUp = async (who = anna): Promise<string> =>
    (await world.drain(EPOCH, who)).at(-1)!.asOf;

  it('a prepared transaction holds Service-As-Of and is delivered when it is committed', async () => {
    const writer = await world.writer();
    await writer.query('BEGIN');
    await writer.query(setPrice(single, 1));
    await writer.query(`PREPARE TRANSACTION 'p1'`);
    await writer.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const since = await caughtUp();
    expect(await world.poll(since, anna)).toMatchObject({ asOf: since, hasMore: false });
    await database.query(`COMMIT PREPARED 'p1'`);
    expect(idsOf(await world.drain(since, anna))).toEqual([single]);
  });

  it('a prepared transaction that is rolled back leaves nothing', async () => {
    await database.client.query(`BEGIN; ${setPrice(single, 1)}; PREPARE TRANSACTION 'p2'`);
    const since = await caughtUp();
    await database.query(`ROLLBACK PREPARED 'p2'`);
    expect(await world.poll(since, anna)).toMatchObject({ entries: [], hasMore: false });
    expect(Date.parse(await caughtUp())).toBeGreaterThan((await world.databaseTime()) - 2_000);
  });

  it('a prepared transaction holds no other buyer', async () => {
    const ben = world.next();
    await world.history(ben, 1, 0);
    await database.client.query(`BEGIN; ${setPrice(single, 1)}; PREPARE TRANSACTION 'p3'`);
    expect(Date.parse(await caughtUp(ben))).toBeGreaterThan((await world.databaseTime()) - 2_000);
    await database.query(`ROLLBACK PREPARED 'p3'`);
  });

  it('a prepared transaction of history stays history, and leaves no history mode behind', async () => {
    const since = await caughtUp();
    await database.client.query(
      `BEGIN; SELECT deal_sets.feed_enter_history(); ${setPrice(single, 1)}; PREPARE TRANSACTION 'p4'`,
    );
    await database.query(`COMMIT PREPARED 'p4'`);
    expect(idsOf(await world.drain(since, anna))).toEqual([]);
    await database.query(setPrice(single, 2));
    expect(idsOf(await world.drain(since, anna))).toEqual([single]);
  });

  it('rows of a logical replication are stamped, moved and cleaned like any other', async () => {
    const source = await cluster.database('source');
    const tables = 'buyer, dealership, deal_set, price_check, question, draft, reply';
    await source.query(`CREATE PUBLICATION requests FOR TABLE ${tables}`);
    await source.query('INSERT INTO buyer (id) VALUES ($1)', [anna.id]);
    for (const shop of [world.shop, world.renamed]) {
      await source.query('INSERT INTO dealership (id, name) VALUES ($1, $2)', [shop.id, shop.name]);
    }
    await source.query(
      `INSERT INTO deal_set (buyer_id, id, car_year, car_make, car_model, created_at)
       VALUES ($1, $2, 2025, 'Honda', 'CR-V', now())`,
      [anna.id, set],
    );
    // What is older than the slot does not come.
    await source.query(`SELECT pg_create_logical_replication_slot('requests', 'pgoutput')`);
    const { hostname, port, username, password } = new URL(source.url);
    await database.query(`CREATE SUBSCRIPTION requests
      CONNECTION 'host=${hostname} port=${port} user=${username} password=${password} dbname=source'
      PUBLICATION requests WITH (create_slot = false, slot_name = 'requests', copy_data = false)`);
    let since = await caughtUp();
    const bringsAfter = async (sql: string, ids: readonly string[]): Promise<void> => {
      await source.client.query(sql);
      await eventually(async () => {
        const pages = await world.drain(since, anna);
        expect(idsOf(pages)).toEqual([...ids].sort());
      }, 10_000);
      since = await caughtUp();
    };
    try {
      const [fresh, insert] = insertSingle(world, anna);
      await bringsAfter(insert, [fresh]);
      await bringsAfter(setPrice(fresh, 77), [fresh]);
      await bringsAfter(
        `INSERT INTO reply (buyer_id, id, price_check_id, received_at)
         VALUES ('${anna.id}', '${randomUUID()}', '${fresh}', now() - interval '1 hour')`,
        [fresh],
      );
      expect(
        await database.query(
          `SELECT r.feed_at = f.feed_at AS same FROM reply r JOIN request_feed f USING (buyer_id, request_id)
           WHERE r.buyer_id = $1`,
          [anna.id],
        ),
      ).toEqual([{ same: true }]);
      await bringsAfter(`UPDATE deal_set SET dealers_found = 3 WHERE id = '${set}'`, [set]);
      const row = randomUUID();
      await bringsAfter(
        `INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
         VALUES ('${anna.id}', '${row}', '${set}', '${world.shop.id}', now(), 'EX ${world.shop.name}')`,
        [set],
      );
      const shown = await database.query('SELECT shown_trim FROM price_check WHERE id = $1', [row]);
      expect(shown).toEqual([{ shown_trim: null }]);
      await bringsAfter(`UPDATE price_check SET deal_set_id = '${set}' WHERE id = '${fresh}'`, [
        set,
      ]);
      await bringsAfter(`DELETE FROM price_check WHERE id = '${row}'`, [set]);
      const left = await database.query(
        'SELECT request_id FROM request_feed WHERE buyer_id = $1 ORDER BY 1',
        [anna.id],
      );
      expect(left.map((entry) => entry['request_id'] as string)).toEqual([single, set].sort());
    } finally {
      await database.query('ALTER SUBSCRIPTION requests DISABLE');
      await database.query('DROP SUBSCRIPTION requests');
      await source.drop();
    }
  }, 90_000);
});
