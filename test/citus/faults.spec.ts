import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buyer, dealership, dealSet, grant, load, ndjson, priceCheck } from '../builders/index.js';
import { checkFeedProperty } from '../api/feed/feed-property.js';
import { EPOCH, FeedWorld, NO_MARGIN, PATH } from '../setup/feed-world.js';
import type { Reader } from '../setup/world.js';
import { eventually } from '../setup/eventually.js';
import { startCommand } from '../setup/run-command.js';
import type { TestDatabase } from '../setup/test-database.js';
import { CitusCluster } from './citus-cluster.js';

const HALF = 1_000;

let cluster: CitusCluster;
let database: TestDatabase;

beforeAll(async () => {
  cluster = await CitusCluster.start();
  database = await cluster.distribute();
});
afterAll(() => cluster.stop());
afterEach(() => expect(cluster.crashes()).toEqual([]));

describe('the feed of a distributed database', () => {
  const prove = async (seed: number, meanwhile?: () => Promise<void>): Promise<void> => {
    const outcome = await checkFeedProperty({
      database,
      commits: HALF,
      writers: 12,
      pollers: 6,
      buyers: 6,
      longestPauseMs: 200,
      seed,
      isDistributed: true,
      ...(meanwhile && { meanwhile }),
    });
    process.stdout.write(`citus feed: ${JSON.stringify(outcome)}\n`);
    expect(outcome.commits).toBeGreaterThanOrEqual(HALF);
  };

  it(`loses nothing in ${HALF} commits`, () => prove(1), 600_000);

  it(`loses nothing in ${HALF} commits while shards move`, async () => {
    let moves = 0;
    await prove(2, async () => {
      const until = Date.now() + 20_000;
      while (moves < 3 || Date.now() < until) moves += Number(await cluster.moveShardOfABuyer());
    });
  }, 600_000);

  it('loses nothing beside a restamp', async () => {
    await prove(3, async () => {
      expect(await cluster.run(['rebuild', '--restamp'])).toMatchObject({ exitCode: 0 });
    });
  }, 600_000);
});

describe('a distributed database', () => {
  let world: FeedWorld;

  beforeAll(async () => {
    world = await FeedWorld.start({ database, buyers: 12, ...NO_MARGIN });
  });
  afterAll(() => world.stop());

  const status = async (reader: Reader): Promise<number> =>
    (await world.service.get(PATH, reader.session)).status;
  const insertFor = (buyerIds: readonly string[], shop = world.dealership.id): string =>
    `INSERT INTO deal_sets.price_check (buyer_id, id, dealership_id, requested_at)
     SELECT b, gen_random_uuid(), '${shop}', now() FROM unnest('{${buyerIds.join()}}'::uuid[]) b`;
  const marked = () =>
    database.query('SELECT request_id FROM deal_sets.request_feed WHERE is_marked');

  it('restamps every request, each by the clock of its worker', async () => {
    const sinces = new Map<Reader, string>();
    // The first buyer is left to the next test, which begins with an empty feed.
    const buyers = world.buyers.slice(1);
    const unknown = buyers.map(({ id: buyerId }) => dealSet({ buyerId }));
    await load(database, unknown, { isBackfill: true });
    for (const buyer of buyers) {
      await world.loadHistory(buyer, 60, 1);
      sinces.set(buyer, (await world.drain(EPOCH, buyer)).at(-1)!.asOf);
    }
    const outcome = await cluster.run(['rebuild', '--restamp']);
    expect(outcome).toMatchObject({ exitCode: 0 });
    const [, after = ''] = /--after (\S+)`\.\n/.exec(outcome.stderr) ?? [];
    expect(
      await database.query('SELECT 1 FROM deal_sets.request_feed WHERE feed_at <= $1', [after]),
    ).toEqual([]);
    for (const [buyer, since] of sinces) {
      const ids = await database.query<{ id: string }>(
        'SELECT request_id AS id FROM deal_sets.request_feed WHERE buyer_id = $1 ORDER BY request_id',
        [buyer.id],
      );
      expect(await world.changedIdsSince(since, buyer)).toEqual(ids.map(({ id }) => id));
    }
    const known = await database.query(
      'SELECT 1 FROM deal_sets.request_feed WHERE NOT is_time_known AND request_id = ANY ($1)',
      [unknown.map(({ id }) => id)],
    );
    expect(known).toHaveLength(unknown.length);
    expect(await marked()).toEqual([]);
    const again = await cluster.run(['rebuild', '--restamp', '--after', after]);
    expect(again.stderr).toContain(': 0 got a new stamp');
  });

  it('commits for several buyers and for three thousand, beside writers of one buyer', async () => {
    const many = Array.from({ length: 3_000 }, () => randomUUID());
    await database.query(
      `INSERT INTO deal_sets.buyer (id) SELECT unnest('{${many.join()}}'::uuid[])`,
    );
    const since = (await world.poll(EPOCH)).asOf;
    const over = new AbortController();
    const writer = await world.writer();
    const writing = (async () => {
      let commits = 0;
      for (; !over.signal.aborted; commits += 1) await writer.query(insertFor([world.buyer.id]));
      return commits;
    })();
    await database.query(insertFor(world.buyers.map(({ id }) => id)));
    const startedAt = performance.now();
    await database.query(insertFor(many));
    const seconds = (performance.now() - startedAt) / 1_000;
    over.abort();
    const commits = await writing;
    process.stdout.write(`citus: 3,000 buyers in ${seconds.toFixed(1)} s, beside ${commits}\n`);
    expect(await marked()).toEqual([]);
    const stamps = await database.query(
      'SELECT 1 FROM deal_sets.request_feed WHERE buyer_id = ANY ($1) AND feed_at > $2',
      [many, since],
    );
    expect(stamps).toHaveLength(3_000);
    const seen = (await world.drain(since)).flatMap((page) => page.entries);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(commits + 1);
  });

  it('ends one of two writers of many buyers that wait for each other', async () => {
    const [a, b] = [await world.writer(), await world.writer()];
    const ids = world.buyers.map(({ id }) => id).sort();
    let rejected = 0;
    for (let round = 0; round < 5; round += 1) {
      const both = [a, b].map((client, i) =>
        client.query(insertFor(i === 0 ? ids : ids.toReversed())).catch((error: unknown) => {
          expect(['40P01', '55P03']).toContain((error as { code: string }).code);
          rejected += 1;
        }),
      );
      await Promise.all(both);
      await cluster.endAbandonedTransactions();
    }
    process.stdout.write(`citus: of 10 crossing writers of many buyers ${rejected} were ended\n`);
    expect(rejected).toBeLessThan(10);
    expect(await marked()).toEqual([]);
  });

  it.each(['import', 'sql'] as const)('shows a new name everywhere: %s', async (way) => {
    const shop = dealership({ name: 'Lakeside Motors' });
    const rows = world.buyers.map(({ id: buyerId }) =>
      priceCheck({
        buyerId,
        dealershipId: shop.id,
        unlockedAt: '2026-02-01T00:00:00Z',
        listing: { year: 2025, model: 'CR-V', trim: 'EX Kestrel' },
      }),
    );
    await load(database, [shop, ...rows]);
    const since = (await world.drain(EPOCH)).at(-1)!.asOf;
    if (way === 'import') await load(database, [{ ...shop, name: 'Kestrel' }]);
    else {
      const client = await world.writer();
      await client.query('BEGIN');
      await client.query(`UPDATE deal_sets.dealership SET name = 'Kestrel' WHERE id = $1`, [
        shop.id,
      ]);
      await client.query('SELECT deal_sets.renew_price_checks(ARRAY[$1::uuid])', [shop.id]);
      await client.query('COMMIT');
    }
    const shown = await database.query(
      'SELECT DISTINCT shown_trim FROM deal_sets.price_check WHERE dealership_id = $1',
      [shop.id],
    );
    expect(shown).toEqual([{ shown_trim: null }]);
    const seen = (await world.drain(since)).flatMap((page) => page.entries);
    expect(seen.map(({ dealerLabel }) => dealerLabel)).toContain('Kestrel');
  });

  it('serves the buyers of the other worker while one is down, and all when it is back', async () => {
    const places = await database.query<{ id: string; port: number }>(
      `SELECT b.id, n.nodeport AS port FROM deal_sets.buyer b
       JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('deal_sets.buyer', b.id)
       JOIN pg_dist_node n USING (groupid) WHERE b.id = ANY ($1)`,
      [world.buyers.map(({ id }) => id)],
    );
    const lost = cluster.nodes[1];
    const isLost = ({ id }: Reader): boolean =>
      places.some((place) => place.id === id && place.port === lost.port);
    const [gone, kept] = [world.buyers.find(isLost)!, world.buyers.find((b) => !isLost(b))!];
    lost.stop('immediate');
    expect((await world.service.call('/health/ready')).status).toBe(200);
    expect([await status(kept), await status(gone)]).toEqual([200, 503]);
    await expect(database.query(insertFor([gone.id]))).rejects.toThrow();
    await database.query(insertFor([kept.id]));
    lost.start();
    await eventually(async () => expect(await status(gone)).toBe(200));
    await database.query(insertFor([gone.id]));
    expect(await marked()).toEqual([]);
  });
});

describe('an import into a distributed database', () => {
  it('keeps a grant that it changes', async () => {
    const anna = buyer();
    const helper = grant({ buyerId: anna.id });
    await load(database, [anna, helper]);
    const changed = await load(database, [{ ...helper, expiresAt: '2999-01-01T00:00:00Z' }]);
    expect(changed).toMatchObject({ added: 0, changed: 1 });
    const stored = await database.query(
      `SELECT expires_at > '2998-01-01' AS "isChanged" FROM deal_sets.assistant_grant WHERE buyer_id = $1`,
      [anna.id],
    );
    expect(stored).toEqual([{ isChanged: true }]);
  });
});

describe('a distributed database that loses its coordinator', () => {
  beforeAll(() => database.drop());

  it('keeps an import whole or not at all', async () => {
    const shop = dealership();
    const buyers = Array.from({ length: 12 }, () => buyer());
    const rows = buyers.flatMap(({ id: buyerId }) =>
      Array.from({ length: 150 }, () => priceCheck({ buyerId, dealershipId: shop.id })),
    );
    const file = ndjson([shop, ...buyers, ...rows]);
    const stored = async (): Promise<number> => {
      const other = await cluster.open();
      await cluster.endAbandonedTransactions();
      const [row] = await other.query<{ count: number }>(
        'SELECT count(*)::integer AS count FROM deal_sets.price_check WHERE id = ANY ($1)',
        [rows.map(({ id }) => id)],
      );
      await other.drop();
      return row!.count;
    };
    for (const afterMs of [400, 1_200, 2_500, 4_000]) {
      if ((await stored()) > 0) break;
      const child = startCommand(['import', '-'], { env: { DATABASE_URL: cluster.url } });
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(file);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await sleep(afterMs);
      cluster.coordinator.stop('immediate');
      await ended;
      cluster.coordinator.start();
      await eventually(async () => expect([0, rows.length]).toContain(await stored()));
    }
    expect(await cluster.run(['import', '-'], file)).toMatchObject({ exitCode: 0 });
    expect(await stored()).toBe(rows.length);
  });
});
