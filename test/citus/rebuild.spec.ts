import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { distribute } from '../../src/database/citus/distribute.js';
import { inspectTables } from '../../src/database/citus/inspect-cluster.js';
import { writerDataSource } from '../../src/database/data-source.js';
import { applyMigrations, revertLastMigration } from '../../src/database/migrate.js';
import { rebuild } from '../../src/database/rebuild.js';
import { dealership, load, priceCheck } from '../builders/index.js';
import { EPOCH, FeedWorld, idsOf, setPrice, type FeedBuyer } from '../e2e/feed/feed-world.js';
import { runCommand } from '../setup/run-command.js';
import {
  createDistributedDatabase,
  type DistributedDatabase,
} from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';
import { workerOf } from './cluster/shards.js';

const AT = '2026-02-01T00:00:00Z';
const RULES = [
  'kept-plans-of-changes-1763601300000',
  'rebuild-by-parts-1763601200000',
  'recognised-forms-1763601100000',
];

describeWithCitus('a rebuild of a distributed database', () => {
  const seller = dealership({ name: 'Rimbrook Motors, L.L.C.' });
  let database: DistributedDatabase;
  let world: FeedWorld;
  let client: Client;
  let reverted: unknown[];
  let applied: string[];
  let problems: string[];

  beforeAll(async () => {
    database = await createDistributedDatabase();
    reverted = await revertRules();
    applied = await withMigrations(applyMigrations);
    problems = await inspectTables(database.client);
    world = await FeedWorld.start({ database, buyers: 40, env: { FEED_MARGIN_MS: '0' } });
    client = await world.writer();
  }, 180_000);
  afterAll(async () => {
    await world.stop();
    await database.drop();
  });

  const command = (...args: string[]): ReturnType<typeof runCommand> =>
    runCommand(args, { env: { DATABASE_URL: database.url } });
  async function withMigrations<T>(
    work: (source: ReturnType<typeof writerDataSource>) => Promise<T>,
  ): Promise<T> {
    const source = await writerDataSource({ url: database.url, poolSize: 2 }).initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  }
  const revertRules = (): Promise<unknown[]> =>
    withMigrations(async (source) => [
      await revertLastMigration(source),
      await revertLastMigration(source),
      await revertLastMigration(source),
    ]);
  const feed = (): Promise<unknown[]> =>
    database.query('SELECT to_jsonb(f) AS row FROM request_feed f ORDER BY 1');
  /** One buyer on each worker, whom no test has used. */
  async function pair(): Promise<[FeedBuyer, FeedBuyer]> {
    const found = new Map<string, FeedBuyer>();
    while (found.size < 2) {
      const buyer = world.next();
      found.set(await workerOf(database, buyer.id), buyer);
    }
    return [...found.values()] as [FeedBuyer, FeedBuyer];
  }
  const drainAll = (buyers: readonly FeedBuyer[], since: string): Promise<string[][]> =>
    Promise.all(buyers.map(async (buyer) => idsOf(await world.drain(since, buyer))));
  const asOf = async (buyer: FeedBuyer): Promise<string> =>
    (await world.drain(EPOCH, buyer)).at(-1)!.asOf;

  it('is preceded by its migrations on an empty database, distributed before them', async () => {
    expect({ reverted, applied, problems }).toEqual({
      reverted: RULES,
      applied: [...RULES].reverse(),
      problems: [],
    });
    expect(await command('rebuild', '--listings')).toMatchObject({
      exitCode: 0,
      stderr: 'Nothing to rebuild.\n',
    });
  }, 120_000);

  it('shows rows of before by the rules of a migration, and stamps those alone', async () => {
    const buyers = await pair();
    await load(database, [seller]);
    await revertRules();
    const stale: string[] = [];
    for (const { id: buyerId } of buyers) {
      for (const trim of ['by Rimbrook Motors', 'EX-L']) {
        const id = randomUUID();
        if (trim !== 'EX-L') stale.push(id);
        await database.query(
          `INSERT INTO price_check (buyer_id, id, dealership_id, requested_at, listing_year, listing_trim)
           VALUES ($1, $2, $3, now(), 2025, $4)`,
          [buyerId, id, seller.id, trim],
        );
      }
    }
    const shown = (): Promise<unknown[]> =>
      database.query('SELECT DISTINCT shown_trim FROM price_check WHERE id = ANY ($1)', [stale]);
    expect(await shown()).toEqual([{ shown_trim: 'by Rimbrook Motors' }]);
    const before = await feed();
    const since = await asOf(buyers[0]);

    expect(await withMigrations(applyMigrations)).toEqual([...RULES].reverse());
    expect(await distribute(database.client)).toBe(false);
    expect(await inspectTables(database.client)).toEqual([]);
    expect(await feed()).toEqual(before);

    expect((await command('rebuild', '--listings')).stderr).toBe(
      'Rebuilt 4 requests: 2 changed and moved in the feed.\n',
    );
    expect(await shown()).toEqual([{ shown_trim: null }]);
    expect(await drainAll(buyers, since)).toEqual(stale.map((id) => [id]));
    expect((await command('rebuild', '--listings')).stderr).toBe(
      'Rebuilt 4 requests: 0 changed and moved in the feed.\n',
    );
    expect(await database.query('SELECT FROM rebuild_batch')).toEqual([]);
  }, 120_000);

  it('computes missing rows of the read model without a stamp, and stamps what differs', async () => {
    const buyers = await pair();
    const [first, second] = await Promise.all(buyers.map((buyer) => world.history(buyer, 5, 2)));
    const ids = [...first!.singles, ...first!.sets, ...second!.singles, ...second!.sets];
    const rows = (): Promise<unknown[]> =>
      database.query(
        'SELECT to_jsonb(f) AS row FROM request_feed f WHERE request_id = ANY ($1) ORDER BY 1',
        [ids],
      );
    const before = await rows();
    await database.query(
      `UPDATE request_feed SET requested_at = NULL, written = NULL, member_ids = NULL, is_active = true
       WHERE request_id = ANY ($1)`,
      [ids],
    );
    expect(await rebuild(client, { batchSize: 2 })).toEqual({ rebuilt: 14, stamped: 0 });
    expect(await rows()).toEqual(before);

    const since = await asOf(buyers[1]);
    await database.query('UPDATE request_feed SET written = 7 WHERE request_id = $1', [
      second!.sets[0],
    ]);
    expect(await rebuild(client)).toEqual({ rebuilt: 0, stamped: 0 });
    expect(await rebuild(client, { isAll: true, batchSize: 3 })).toMatchObject({ stamped: 1 });
    expect(await drainAll(buyers, since)).toEqual([[], [second!.sets[0]]]);
  }, 60_000);

  it('skips nothing of pollers while writers change the same requests', async () => {
    const buyers = [...(await pair()), ...(await pair())];
    const checks = buyers.map(({ id: buyerId }) =>
      Array.from({ length: 8 }, () =>
        priceCheck({
          buyerId,
          dealershipId: world.shop.id,
          latestActivityAt: AT,
          finishedAt: '2026-01-20T00:00:00Z',
        }),
      ),
    );
    await load(database, checks.flat(), { isBackfill: true });
    await database.query('UPDATE request_feed SET rules_revision = 0 WHERE buyer_id = ANY ($1)', [
      buyers.map(({ id }) => id),
    ]);
    await database.query('UPDATE rules_in_use SET revision = 0');
    const ended = new AbortController();
    const polled = buyers.map(async (buyer) => {
      const seen = new Map<string, number | null>();
      for (let since = await asOf(buyer); ;) {
        const last = ended.signal.aborted;
        const page = await world.poll(since, buyer);
        for (const entry of page.entries) seen.set(entry.id!, entry.lowestWrittenOtdCents);
        since = page.asOf;
        if (last && !page.hasMore) return seen;
      }
    });
    const writers = checks.map(async (mine) => {
      const writer = await world.writer();
      for (const [price, { id }] of mine.slice(0, 6).reverse().entries()) {
        await writer.query(setPrice(id, price));
      }
    });
    const [summary] = await Promise.all([rebuild(client, { batchSize: 3 }), ...writers]);
    ended.abort();
    expect(summary.rebuilt).toBe(32);
    // Two of each buyer's are changed by the rebuild alone.
    expect(summary.stamped).toBeGreaterThanOrEqual(8);
    const expected = checks.map(
      (mine) =>
        new Map([
          ...mine
            .slice(0, 6)
            .reverse()
            .map(({ id }, price) => [id, price] as const),
          ...mine.slice(6).map(({ id }) => [id, null] as const),
        ]),
    );
    expect(await Promise.all(polled)).toEqual(expected);
  }, 120_000);

  it('outlasts a wait for locks that is given up, as an import does; an erasure waits for none', async () => {
    const [anna, berta] = await pair();
    const made = await world.history(anna, 1, 0);
    await database.query('UPDATE request_feed SET written = 7 WHERE request_id = $1', made.singles);
    const holders = await Promise.all(
      database.nodeUrls.slice(1).map(async (url) => {
        const holder = new Client({ connectionString: url });
        await holder.connect();
        await holder.query(
          `SELECT pg_advisory_lock(hashtextextended('feed of deal_sets_shard_' || shardid, 0))
           FROM pg_dist_shard WHERE logicalrelid = 'buyer'::regclass`,
        );
        return holder;
      }),
    );
    const buyers = await pair();
    const done = Promise.allSettled([
      rebuild(client, { isAll: true }),
      load(
        database,
        buyers.map(({ id }) => priceCheck({ buyerId: id, dealershipId: world.shop.id })),
      ),
    ]);
    expect(await command('erase', '--yes', '--buyer', berta.id)).toMatchObject({ exitCode: 0 });
    // Each wait ends after 10 s.
    await sleep(12_000);
    await Promise.all(holders.map((holder) => holder.end()));
    expect(await done).toMatchObject([
      { status: 'fulfilled', value: { stamped: 1 } },
      { status: 'fulfilled', value: { added: 2 } },
    ]);
  }, 120_000);

  it('TRUNCATE is refused on every node, unless it empties everything', async () => {
    for (const url of database.nodeUrls) {
      const node = new Client({ connectionString: url });
      await node.connect();
      for (const table of ['deal_set', 'price_check', 'question', 'draft', 'reply']) {
        await expect(node.query(`TRUNCATE ${table} CASCADE`)).rejects.toMatchObject({
          code: '0A000',
          message: `rows of ${table} are deleted, not truncated`,
        });
      }
      await node.end();
    }
    expect((await feed()).length).toBeGreaterThan(10);
    await database.query('TRUNCATE buyer CASCADE');
    expect(await feed()).toEqual([]);
  }, 60_000);
});
