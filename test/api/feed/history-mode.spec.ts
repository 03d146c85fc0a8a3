import { Client } from 'pg';
import { EPOCH, FeedWorld, idsOf, setPrice, type FeedBuyer } from './feed-world.js';

/** History leaves requests where they are in the feed: for the transaction that entered it, and no longer. */
describe('history mode', () => {
  let world: FeedWorld;
  let writer: Client;
  let anna: FeedBuyer;
  let single: string;
  let since: string;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 20, env: { FEED_MARGIN_MS: '0' } });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    anna = world.next();
    [single] = (await world.history(anna, 1, 0)).singles as [string];
    since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    writer = await world.writer();
  });

  const moved = async (): Promise<string[]> => idsOf(await world.drain(since, anna));

  it('is not entered by a setting of the session, which a pool may hand on', async () => {
    await writer.query(`SET deal_sets.history = '00000000-0000-0000-0000-000000000000'`);
    await writer.query(setPrice(single, 1));
    expect(await moved()).toEqual([single]);
  });

  it('is not entered by a setting of the transaction', async () => {
    await writer.query(`BEGIN; SET LOCAL deal_sets.history = 'on'; ${setPrice(single, 1)}; COMMIT`);
    expect(await moved()).toEqual([single]);
  });

  it('holds in the transaction that entered it, and not in the next', async () => {
    await writer.query('BEGIN');
    await writer.query('SELECT deal_sets.feed_enter_history()');
    await writer.query(setPrice(single, 1));
    await writer.query('COMMIT');
    expect(await moved()).toEqual([]);
    await writer.query(setPrice(single, 2));
    expect(await moved()).toEqual([single]);
  });

  it('ends with a transaction that fails', async () => {
    await writer.query('BEGIN');
    await writer.query('SELECT deal_sets.feed_enter_history()');
    await writer.query('ROLLBACK');
    await writer.query(setPrice(single, 1));
    expect(await moved()).toEqual([single]);
  });

  it('holds in no other transaction meanwhile', async () => {
    await writer.query('BEGIN');
    await writer.query('SELECT deal_sets.feed_enter_history()');
    await world.database.query(setPrice(single, 1));
    await writer.query('COMMIT');
    expect(await moved()).toEqual([single]);
  });

  it('goes back with the savepoint behind which it was entered', async () => {
    await writer.query('BEGIN');
    await writer.query('SAVEPOINT before');
    await writer.query('SELECT deal_sets.feed_enter_history()');
    await writer.query('ROLLBACK TO SAVEPOINT before');
    await writer.query(setPrice(single, 1));
    await writer.query('COMMIT');
    expect(await moved()).toEqual([single]);
  });

  describe('for a login that may write but owns nothing', () => {
    let supplier: Client;
    const name = `supplier_${process.pid}`;

    beforeAll(async () => {
      await world.database.query(`CREATE ROLE ${name} LOGIN PASSWORD 'supplier'`);
      await world.database.query(
        `GRANT SELECT, INSERT, UPDATE, DELETE ON price_check, reply, question, draft, deal_set TO ${name}`,
      );
      const url = Object.assign(new URL(world.database.url), {
        username: name,
        password: 'supplier',
      });
      supplier = new Client({ connectionString: url.href });
      await supplier.connect();
    });
    afterAll(async () => {
      await supplier.end();
      await world.database.query(`DROP OWNED BY ${name}`);
      await world.database.query(`DROP ROLE ${name}`);
    });

    it.each([
      'SELECT deal_sets.feed_enter_history()',
      'SELECT deal_sets.feed_is_history()',
      'SELECT history_key FROM schema_code',
    ])('is refused: %s', async (sql) => {
      await expect(supplier.query(sql)).rejects.toMatchObject({ code: '42501' });
    });

    it('is not needed: what it writes is stamped', async () => {
      await supplier.query(setPrice(single, 3));
      await supplier.query(
        `INSERT INTO reply (buyer_id, id, price_check_id, received_at, feed_at)
         VALUES ($1, gen_random_uuid(), $2, now(), '2020-01-01Z')`,
        [anna.id, single],
      );
      expect(await moved()).toEqual([single]);
      expect(
        await world.database.query(
          `SELECT r.feed_at = f.feed_at AS same FROM reply r JOIN request_feed f USING (buyer_id, request_id)
           WHERE r.buyer_id = $1`,
          [anna.id],
        ),
      ).toEqual([{ same: true }]);
    });
  });
});
