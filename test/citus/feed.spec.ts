import { Client } from 'pg';
import { FEED_PROBE } from '../../src/deal-sets/queries/statements.js';
import { FeedWorld, idsOf, insertSingle, EPOCH } from '../e2e/feed/feed-world.js';
import { provesFeed } from '../e2e/feed/feed-property.js';
import {
  createDistributedDatabase,
  type DistributedDatabase,
} from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';
import { moveShards, workerOf } from './cluster/shards.js';

describeWithCitus('the feed of a distributed database', () => {
  let database: DistributedDatabase;

  beforeEach(async () => {
    database = await createDistributedDatabase();
  }, 180_000);
  afterEach(() => database.drop());

  /** Every row of the read model says what the data say. */
  async function expectComputed(): Promise<void> {
    const [row] = await database.query<{ total: string; stale: string }>(
      `SELECT count(*) AS total, count(*) FILTER (WHERE f.needs_recompute OR f.is_pending
         OR (f.written, f.waiting, f.open_items, f.member_ids, f.lowest_written_otd_cents, f.is_active, f.chosen::text)
         IS DISTINCT FROM
         (r.written, r.waiting, r.open_items, r.member_ids, r.lowest_written_otd_cents, r.is_active, r.chosen::text)
       ) AS stale
       FROM request_feed f JOIN request_summary r
         ON r.buyer_id = f.buyer_id AND r.request_id = f.request_id AND r.kind = f.kind`,
    );
    expect(Number(row!.total)).toBeGreaterThan(100);
    expect(Number(row!.stale)).toBe(0);
  }

  it('loses nothing in 2,000 commits of sixteen writers on two workers', async () => {
    const outcome = await provesFeed({
      database,
      buyers: 6,
      commits: 2_000,
      writers: 16,
      pollers: 12,
      longestPauseMs: 300,
      seed: 1,
    });
    expect(outcome.commits).toBeGreaterThanOrEqual(2_000);
    expect(outcome.rollbacks).toBeGreaterThan(50);
    await expectComputed();
    process.stdout.write(`2,000 commits: ${JSON.stringify(outcome)}\n`);
  }, 480_000);

  it('loses nothing and stamps nothing twice while shards move', async () => {
    const still = await FeedWorld.start({ database, buyers: 4 });
    // Without price checks: the random writers change those of any buyer.
    for (const buyer of still.buyers) await still.history(buyer, 0, 3);
    const stamps = (): Promise<unknown[]> =>
      database.query(
        'SELECT request_id, feed_at FROM request_feed WHERE buyer_id = ANY ($1) ORDER BY 1',
        [still.buyers.map(({ id }) => id)],
      );
    const before = await stamps();
    let moved = 0;
    const outcome = await provesFeed({
      database,
      buyers: 6,
      commits: 600,
      writers: 8,
      pollers: 12,
      longestPauseMs: 300,
      seed: 2,
      meanwhile: async () => {
        moved = await moveShards(database, 4);
      },
    });
    expect(moved).toBe(4);
    expect(outcome.commits).toBeGreaterThanOrEqual(600);
    expect(await stamps()).toEqual(before);
    for (const buyer of still.buyers) {
      expect(idsOf(await still.drain(EPOCH, buyer))).toHaveLength(3);
    }
    await still.stop();
    await expectComputed();
    process.stdout.write(`shards moved: ${JSON.stringify({ moved, ...outcome })}\n`);
  }, 480_000);

  it('has several writers who are the first on a shard at once, as after a move', async () => {
    const world = await FeedWorld.start({ database, buyers: 3, env: { FEED_MARGIN_MS: '0' } });
    const connect = async (connectionString: string): Promise<Client> => {
      const client = new Client({ connectionString });
      await client.connect();
      return client;
    };
    const workers = await Promise.all(database.nodeUrls.slice(1).map(connect));
    const writers = await Promise.all(Array.from({ length: 8 }, () => connect(database.url)));
    try {
      for (let round = 0; round < 25; round++) {
        for (const worker of workers) await worker.query('SELECT drop_shard_views()');
        await Promise.all(
          writers.map(async (writer, index) => {
            for (let i = 0; i < 3; i++) {
              await writer.query(insertSingle(world, world.buyers[(index + i) % 3])[1]);
            }
          }),
        );
      }
      const delivered = world.buyers.map(async (buyer) => idsOf(await world.drain(EPOCH, buyer)));
      expect((await Promise.all(delivered)).flat()).toHaveLength(25 * 8 * 3);
    } finally {
      await Promise.all([...workers, ...writers].map((client) => client.end()));
      await world.stop();
    }
  }, 120_000);

  describe('a writer between its stamp and its commit', () => {
    /** What a client gets that polls while the stamp is there and the commit is not, and then again. */
    async function deliveredAfterwards(): Promise<boolean> {
      const world = await FeedWorld.start({ database, buyers: 1, env: { FEED_MARGIN_MS: '0' } });
      // On the worker itself, where the stamp can be taken before the commit.
      const writer = new Client({ connectionString: await workerOf(database, world.anna.id) });
      await writer.connect();
      try {
        const [id, insert] = insertSingle(world);
        await writer.query('BEGIN');
        await writer.query(insert);
        await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
        await new Promise((resolve) => setTimeout(resolve, 100));
        const { asOf } = await world.poll(EPOCH);
        await writer.query('COMMIT');
        return idsOf(await world.drain(asOf)).includes(id);
      } finally {
        await writer.end();
        await world.stop();
      }
    }

    it('is delivered', async () => {
      expect(await deliveredAfterwards()).toBe(true);
    });

    it('would be skipped by a probe that runs on the coordinator', async () => {
      const planted = FEED_PROBE as { text: string };
      const { text } = planted;
      planted.text = `SELECT pg_try_advisory_xact_lock_shared(feed_lock_key($1::uuid)) AS "isQuiet",
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"`;
      try {
        expect(await deliveredAfterwards()).toBe(false);
      } finally {
        planted.text = text;
      }
    });
  });
});
