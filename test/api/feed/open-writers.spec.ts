import { Client } from 'pg';
import { FeedWorld, insertSingle, NO_MARGIN, setPrice, STAMP } from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

let world: FeedWorld;
let anna: Reader;
let writer: Client;
let two: Client;
let first: string;
let second: string;
let set: string;

beforeAll(async () => {
  world = await FeedWorld.start(NO_MARGIN);
  writer = await world.writer();
  two = await world.writer();
});
afterAll(() => world.stop());
beforeEach(async () => {
  anna = world.unusedBuyer();
  const { singles, sets } = await world.loadHistory(anna);
  [first, second] = singles as [string, string];
  [set] = sets as [string];
});
afterEach(() => world.rollback());

/**
 * Writers that meet a poll at the worst moment. Each test polls while a transaction is between its
 * first statement and its commit, follows the header, and must receive the change in the next poll.
 */
describe('a poll that meets an open writer', () => {
  /** The Service-As-Of of this poll is as late as the poll itself, because nothing holds it. */
  const expectCurrent = async (polled: () => Promise<string>): Promise<void> => {
    const before = await world.databaseTime();
    expect(Date.parse(await polled())).toBeGreaterThan(before - 100);
  };

  it('delivers what an idle transaction writes after the poll', async () => {
    await writer.query('BEGIN; SELECT now()');
    const since = await world.latestWatermark(anna);
    await writer.query(setPrice(first, 100));
    await writer.query('COMMIT');
    expect(await world.changedIdsSince(since, anna)).toEqual([first]);
  });

  it.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])(
    'delivers what was written before the poll and committed after it, at %s',
    async (level) => {
      await writer.query(`BEGIN ISOLATION LEVEL ${level}`);
      await writer.query(setPrice(first, 200));
      const since = await world.latestWatermark(anna);
      await writer.query('COMMIT');
      expect(await world.changedIdsSince(since, anna)).toEqual([first]);
    },
  );

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'delivers the change of a %s writer whose snapshot is older than the newest stamp of others',
    async (level) => {
      await writer.query(`BEGIN ISOLATION LEVEL ${level}`);
      await writer.query('SELECT count(*) FROM deal_sets.request_feed');
      await two.query(setPrice(second, 300));
      const since = await world.latestWatermark(anna);
      await writer.query(setPrice(first, 301));
      await writer.query('COMMIT');
      expect(await world.changedIdsSince(since, anna)).toContain(first);
    },
  );

  it('delivers a request that was new, and not yet committed, when the client polled', async () => {
    const [id, insert] = insertSingle(world, anna);
    await writer.query(`BEGIN; ${insert}`);
    const since = await world.latestWatermark(anna);
    await writer.query('COMMIT');
    expect(await world.changedIdsSince(since, anna)).toEqual([id]);
  });

  describe('between its stamp and its commit', () => {
    beforeEach(() => writer.query(`BEGIN; ${setPrice(first, 400)}; ${STAMP}`));

    it('holds Service-As-Of at the newest visible change, and the loop still ends', async () => {
      const [row] = await world.database.query<{ at: Date }>(
        'SELECT max(feed_at) AS at FROM deal_sets.request_feed WHERE buyer_id = $1',
        [anna.id],
      );
      const since = await world.latestWatermark(anna);
      expect(since).toBe(row!.at.toISOString());
      const waiting = await world.poll(since, anna);
      expect(waiting).toMatchObject({ asOf: since, hasMore: false, entries: [] });
      await writer.query('COMMIT');
      expect(await world.changedIdsSince(waiting.asOf, anna)).toEqual([first]);
    });

    it('delivers what it changes after its stamp', async () => {
      const since = await world.latestWatermark(anna);
      await writer.query(`UPDATE deal_sets.deal_set SET dealers_found = 41 WHERE id = '${set}'`);
      const later = (await world.poll(since, anna)).asOf;
      await writer.query('COMMIT');
      expect(await world.changedIdsSince(later, anna)).toEqual([first, set].sort());
    });

    it('leaves nothing behind when it is rolled back', async () => {
      const since = await world.latestWatermark(anna);
      await writer.query('ROLLBACK');
      await expectCurrent(async () => {
        const page = await world.poll(since, anna);
        expect(page).toMatchObject({ entries: [], hasMore: false });
        return page.asOf;
      });
    });

    it('does not hold the Service-As-Of of another buyer', async () => {
      const ben = world.unusedBuyer();
      await world.loadHistory(ben);
      await expectCurrent(() => world.latestWatermark(ben));
    });

    it('makes the next writer of the same buyer stamp above its stamp', async () => {
      const since = await world.latestWatermark(anna);
      const waiting = two.query(setPrice(second, 401));
      await writer.query('COMMIT');
      await waiting;
      const { entries } = await world.poll(since, anna);
      expect(entries.map(({ id }) => id)).toEqual([first, second]);
      const [a, b] = entries.map(({ latestActivityAt }) => Date.parse(latestActivityAt!));
      expect(a).toBeLessThan(b!);
    });
  });

  it('does not hold Service-As-Of before it has stamped anything', async () => {
    await writer.query(`BEGIN; ${setPrice(first, 500)}`);
    await expectCurrent(() => world.latestWatermark(anna));
  });

  it.each([
    [
      'what was marked before a savepoint whose stamp was rolled back',
      () => [setPrice(first, 600), 'SAVEPOINT s', setPrice(second, 600), STAMP],
      () => [],
    ],
    [
      'what follows a savepoint that changed many buyers and was rolled back',
      () => ['SAVEPOINT s', 'UPDATE deal_sets.deal_set SET dealers_found = 43', STAMP],
      () => [setPrice(first, 601), STAMP],
    ],
  ])('delivers %s', async (_what, before, after) => {
    const statements = ['BEGIN', ...before(), 'ROLLBACK TO SAVEPOINT s', ...after()];
    for (const statement of statements) await writer.query(statement);
    const since = await world.latestWatermark(anna);
    await writer.query('COMMIT');
    expect(await world.changedIdsSince(since, anna)).toEqual([first]);
    expect(
      await world.database.query('SELECT FROM deal_sets.request_feed WHERE is_marked'),
    ).toEqual([]);
  });

  it('delivers from a session with another time zone and date style', async () => {
    await writer.query("SET timezone = 'Asia/Kathmandu'; SET datestyle = 'German, DMY'");
    const since = await world.latestWatermark(anna);
    await writer.query(setPrice(first, 700));
    await writer.query('RESET timezone; RESET datestyle');
    const [entry] = (await world.poll(since, anna)).entries;
    const now = await world.databaseTime();
    expect(Math.abs(Date.parse(entry!.latestActivityAt!) - now)).toBeLessThan(60_000);
  });

  it('delivers from a session with session_replication_role set to replica', async () => {
    const since = await world.latestWatermark(anna);
    await writer.query('SET session_replication_role = replica');
    await writer.query(setPrice(first, 800));
    await writer.query('RESET session_replication_role');
    expect(await world.changedIdsSince(since, anna)).toEqual([first]);
  });
});
