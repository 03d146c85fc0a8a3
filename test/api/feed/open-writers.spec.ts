import type { Client } from 'pg';
import { EPOCH, FeedWorld, idsOf, insertSingle, setPrice, type FeedBuyer } from './feed-world.js';

/**
 * Writers that meet a poll at the worst moment. Each test polls while a transaction is somewhere between
 * its first statement and its commit, follows the header, and must be given the change by the next poll.
 */
describe('a poll that meets an open writer', () => {
  let world: FeedWorld;
  let anna: FeedBuyer;
  let ben: FeedBuyer;
  let one: Client;
  let two: Client;
  let first: string;
  let second: string;
  let set: string;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 50, env: { FEED_MARGIN_MS: '0' } });
    one = await world.writer();
    two = await world.writer();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    anna = world.next();
    ben = world.next();
    await world.history(ben);
    const { singles, sets } = await world.history(anna);
    [first, second] = singles as [string, string];
    [set] = sets as [string];
  });
  afterEach(async () => {
    await one.query('ROLLBACK');
    await two.query('ROLLBACK');
  });

  /** Polls until nothing is left, and returns where the next poll starts. */
  async function caughtUp(who = anna): Promise<string> {
    return (await world.drain(EPOCH, who)).at(-1)!.asOf;
  }

  async function deliveredSince(since: string): Promise<string[]> {
    return idsOf(await world.drain(since, anna));
  }

  it('delivers what an idle transaction writes after the poll', async () => {
    await one.query('BEGIN');
    await one.query('SELECT now()');
    const since = await caughtUp();
    await one.query(setPrice(first, 100));
    await one.query('COMMIT');
    expect(await deliveredSince(since)).toEqual([first]);
  });

  it.each([['READ COMMITTED'], ['REPEATABLE READ'], ['SERIALIZABLE']])(
    'delivers what was written before the poll and committed after it, at %s',
    async (level) => {
      await one.query(`BEGIN ISOLATION LEVEL ${level}`);
      await one.query(setPrice(first, 200));
      const since = await caughtUp();
      await one.query('COMMIT');
      expect(await deliveredSince(since)).toEqual([first]);
    },
  );

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'delivers a %s writer whose snapshot is older than what others stamped since',
    async (level) => {
      await one.query(`BEGIN ISOLATION LEVEL ${level}`);
      await one.query('SELECT count(*) FROM request_feed');
      await two.query(setPrice(second, 300));
      const since = await caughtUp();
      await one.query(setPrice(first, 301));
      await one.query('COMMIT');
      expect(await deliveredSince(since)).toContain(first);
    },
  );

  it('delivers a request that was new, and not yet committed, when it was polled', async () => {
    const [id, insert] = insertSingle(world, anna);
    await one.query('BEGIN');
    await one.query(insert);
    const since = await caughtUp();
    await one.query('COMMIT');
    expect(await deliveredSince(since)).toEqual([id]);
  });

  describe('between its stamp and its commit', () => {
    beforeEach(async () => {
      await one.query('BEGIN');
      await one.query(setPrice(first, 400));
      await one.query('SET CONSTRAINTS ALL IMMEDIATE');
    });

    it('holds Service-As-Of at the newest visible change, and the loop still ends', async () => {
      const newest = await newestStamp(world, anna);
      const since = await caughtUp();
      expect(Date.parse(since)).toBe(newest);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      const held = await world.poll(since, anna);
      expect(held).toMatchObject({ asOf: since, hasMore: false, entries: [] });
      await one.query('COMMIT');
      expect(await deliveredSince(held.asOf)).toEqual([first]);
    });

    it('delivers what it changes after its stamp', async () => {
      const since = await caughtUp();
      await one.query(`UPDATE deal_set SET dealers_found = 41 WHERE id = '${set}'`);
      const later = (await world.poll(since, anna)).asOf;
      await one.query('COMMIT');
      expect(await deliveredSince(later)).toEqual([first, set].sort());
    });

    it('leaves nothing behind when it is rolled back', async () => {
      const since = await caughtUp();
      await one.query('ROLLBACK');
      expect(await world.poll(since, anna)).toMatchObject({ entries: [], hasMore: false });
      const now = await world.databaseTime();
      expect(Date.parse((await world.poll(since, anna)).asOf)).toBeGreaterThan(now - 5_000);
    });

    it('does not hold the Service-As-Of of another buyer', async () => {
      const now = await world.databaseTime();
      expect(Date.parse(await caughtUp(ben))).toBeGreaterThan(now - 1_500);
    });

    it('lets the next writer of the same buyer stamp above it only', async () => {
      const since = await caughtUp();
      const waiting = two.query(setPrice(second, 401));
      await one.query('COMMIT');
      await waiting;
      const pages = await world.drain(since, anna);
      expect(idsOf(pages)).toEqual([first, second].sort());
      const [a, b] = pages[0]!.entries;
      expect(Date.parse(a!.latestActivityAt!)).toBeLessThan(Date.parse(b!.latestActivityAt!));
    });
  });

  it('does not hold Service-As-Of before it has stamped anything', async () => {
    await one.query('BEGIN');
    await one.query(setPrice(first, 500));
    const now = await world.databaseTime();
    expect(Date.parse(await caughtUp())).toBeGreaterThan(now - 1_500);
  });

  describe('with savepoints', () => {
    it('keeps what was marked before a savepoint whose stamp was rolled back', async () => {
      await one.query('BEGIN');
      await one.query(setPrice(first, 600));
      await one.query('SAVEPOINT s');
      await one.query(setPrice(second, 600));
      await one.query('SET CONSTRAINTS ALL IMMEDIATE');
      await one.query('ROLLBACK TO SAVEPOINT s');
      const since = await caughtUp();
      await one.query('COMMIT');
      expect(await deliveredSince(since)).toEqual([first]);
      expect(await pendingRows(world)).toBe(0);
    });

    it('holds Service-As-Of when a savepoint that changed many buyers was rolled back', async () => {
      await one.query('BEGIN');
      await one.query('SAVEPOINT s');
      await one.query('UPDATE deal_set SET dealers_found = 43');
      await one.query('SET CONSTRAINTS ALL IMMEDIATE');
      await one.query('ROLLBACK TO SAVEPOINT s');
      await one.query(setPrice(first, 601));
      await one.query('SET CONSTRAINTS ALL IMMEDIATE');
      const since = await caughtUp();
      await one.query('COMMIT');
      expect(await deliveredSince(since)).toEqual([first]);
    });
  });

  it('delivers from a session with another time zone and date style', async () => {
    await one.query("SET timezone = 'Asia/Kathmandu'; SET datestyle = 'German, DMY'");
    const since = await caughtUp();
    await one.query(setPrice(first, 700));
    const [entry] = (await world.poll(since, anna)).entries;
    await one.query('RESET timezone; RESET datestyle');
    expect(
      Math.abs(Date.parse(entry!.latestActivityAt!) - (await world.databaseTime())),
    ).toBeLessThan(60_000);
  });

  it('delivers from a session that calls itself a replica', async () => {
    const since = await caughtUp();
    await one.query('SET session_replication_role = replica');
    await one.query(setPrice(first, 800));
    await one.query('RESET session_replication_role');
    expect(await deliveredSince(since)).toEqual([first]);
  });
});

async function newestStamp(world: FeedWorld, who: FeedBuyer): Promise<number> {
  const [row] = await world.database.query<{ at: Date }>(
    'SELECT max(feed_at) AS at FROM request_feed WHERE buyer_id = $1',
    [who.id],
  );
  return row!.at.getTime();
}

async function pendingRows(world: FeedWorld): Promise<number> {
  const [row] = await world.database.query<{ n: number }>(
    'SELECT count(*)::integer AS n FROM request_feed WHERE is_pending',
  );
  return row!.n;
}
