import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { rebuild, type RebuildSummary } from '../../src/database/rebuild.js';
import { load, priceCheck } from '../builders/index.js';
import { EPOCH, FeedWorld, idOf, type FeedBuyer } from '../e2e/feed/feed-world.js';
import { eventually } from '../setup/eventually.js';
import { runCommand } from '../setup/run-command.js';
import { crashNode, restartNode } from './cluster/crash-node.js';
import {
  createDistributedDatabase,
  type DistributedDatabase,
} from './cluster/distributed-database.js';
import { describeWithCitus } from './cluster/describe-with-citus.js';
import { workerOf } from './cluster/shards.js';

const AT = '2026-02-01T00:00:00Z';
const REQUESTS = 24;
const CHANGED = REQUESTS / 2;

/** A buyer alone in a set of shards, in whose requests the rebuild finds something to change, and something not. */
interface Subject {
  readonly buyer: FeedBuyer;
  readonly shard: string;
  readonly worker: string;
  readonly changed: readonly string[];
}

interface Poller {
  readonly seen: Set<string>;
  /** Statuses of the polls while the worker was away. */
  readonly statuses: Set<string>;
  readonly ended: Promise<void>;
}

describeWithCitus('a worker that is lost during a rebuild', () => {
  let database: DistributedDatabase;
  let world: FeedWorld;
  let subjects: Subject[];
  let lostUrl: string;
  /** What the rebuild reaches in the middle of its way, on the worker that is lost. */
  let held: Subject;

  beforeAll(async () => {
    database = await createDistributedDatabase();
    world = await FeedWorld.start({ database, buyers: 24, env: { FEED_MARGIN_MS: '0' } });
    lostUrl = database.nodeUrls[2]!;
    const found = new Map<string, Subject>();
    for (const buyer of world.buyers) {
      const shard = await shardOf(buyer);
      if (found.has(shard)) continue;
      const checks = Array.from({ length: REQUESTS }, () =>
        priceCheck({ buyerId: buyer.id, dealershipId: world.shop.id, latestActivityAt: AT }),
      );
      await load(database, checks, { isBackfill: true });
      // The last ones, so that the crash comes in the middle of a set of shards.
      const changed = checks
        .map(({ id }) => id)
        .sort()
        .slice(-CHANGED);
      const worker = await workerOf(database, buyer.id);
      found.set(shard, { buyer, shard, worker, changed });
    }
    // In the order in which a rebuild goes through them.
    subjects = [...found.values()].sort((a, b) => Number(a.shard) - Number(b.shard));
    const [, second] = subjects.filter(({ worker }) => worker === lostUrl);
    held = second!;
  }, 240_000);
  afterAll(async () => {
    await world.stop();
    await database.drop();
  });

  async function shardOf({ id }: FeedBuyer): Promise<string> {
    const [row] = await database.query<{ shard: string }>(
      `SELECT get_shard_id_for_distribution_column('buyer', $1::uuid)::text AS shard`,
      [id],
    );
    return row!.shard;
  }
  const isLost = ({ worker }: Subject): boolean => worker === lostUrl;
  const allChanged = (): string[] => subjects.flatMap(({ changed }) => changed);
  /** As if an older version had built every request, and half of them differently. */
  async function makeStale(): Promise<void> {
    await database.query('UPDATE request_feed SET rules_revision = 0');
    await database.query('UPDATE request_feed SET written = 7 WHERE request_id = ANY ($1)', [
      allChanged(),
    ]);
    await database.query('UPDATE rules_in_use SET revision = 0');
  }
  async function stamps(): Promise<Map<string, string>> {
    const rows = await database.query<{ id: string; at: string }>(
      'SELECT request_id::text AS id, feed_at::text AS at FROM request_feed',
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }
  const movedBetween = (before: Map<string, string>, after: Map<string, string>): string[] =>
    [...after].filter(([id, at]) => before.get(id) !== at).map(([id]) => id);

  /**
   * Crashes the worker while a batch waits there to stamp what it has rebuilt.
   *
   * @param start starts the rebuild; its outcome is awaited after the crash.
   */
  async function crashDuring<T>(start: () => Promise<T>): Promise<PromiseSettledResult<T>> {
    const holder = new Client({ connectionString: lostUrl });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query(
      `SELECT pg_advisory_lock(hashtextextended('feed of deal_sets_shard_' || $1::text, 0))`,
      [held.shard],
    );
    const outcome = Promise.allSettled([start()]);
    await eventually(async () => {
      const { rows } = await holder.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
      );
      expect(rows).toHaveLength(1);
    }, 60_000);
    await crashNode(database.nodes[2]!);
    return (await outcome)[0];
  }

  /** Polls until `isOver`, and then once more. */
  function follow({ buyer }: Subject, isAway: () => boolean, isOver: () => boolean): Poller {
    const seen = new Set<string>();
    const statuses = new Set<string>();
    const run = async (): Promise<void> => {
      for (let since = (await world.drain(EPOCH, buyer)).at(-1)!.asOf; ;) {
        const isLast = isOver();
        const wasAway = isAway();
        try {
          const page = await world.poll(since, buyer);
          page.entries.forEach((entry) => seen.add(idOf(entry)));
          if (isLast && !page.hasMore) return;
          since = page.asOf;
          if (wasAway && isAway()) statuses.add('200');
        } catch (error) {
          const status = (error as Error).message.slice(0, 3);
          if (isLast || status !== '503') throw error;
          statuses.add(status);
        }
        await sleep(50);
      }
    };
    return { seen, statuses, ended: run() };
  }

  it('ends it; run again it goes on, and nothing is skipped or stamped twice', async () => {
    await makeStale();
    const before = await stamps();
    let isAway = false;
    let isOver = false;
    const pollers = subjects.map((subject) =>
      follow(
        subject,
        () => isAway,
        () => isOver,
      ),
    );
    let done: RebuildSummary = { rebuilt: 0, stamped: 0 };
    const client = await world.writer();

    const outcome = await crashDuring(() =>
      rebuild(client, { batchSize: 2, onBatch: (summary) => (done = summary) }),
    );
    isAway = true;
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '08006' } });
    expect(done.rebuilt).toBeGreaterThan(REQUESTS);
    expect(done.rebuilt % REQUESTS).toBe(CHANGED);
    await eventually(() => {
      for (const { statuses } of pollers) expect(statuses.size).toBeGreaterThan(0);
    }, 30_000);
    isAway = false;
    await restartNode(database.nodes[2]!);

    const between = await stamps();
    expect(movedBetween(before, between)).toHaveLength(done.stamped);
    const rest = await rebuild(client, { batchSize: 2 });
    isOver = true;
    expect(rest).toEqual({
      rebuilt: subjects.length * REQUESTS - done.rebuilt,
      stamped: allChanged().length - done.stamped,
    });
    const after = await stamps();
    expect(movedBetween(before, after).sort()).toEqual(allChanged().sort());
    expect(movedBetween(between, after)).toHaveLength(rest.stamped);
    expect(await rebuild(client)).toEqual({ rebuilt: 0, stamped: 0 });
    for (const [index, { seen, statuses, ended }] of pollers.entries()) {
      await ended;
      const subject = subjects[index]!;
      expect([...seen].sort()).toEqual(subject.changed);
      // Only the lost worker's buyers had a 503, and none of them was answered meanwhile.
      expect([...statuses]).toEqual([isLost(subject) ? '503' : '200']);
    }
  }, 120_000);

  it('is named by the command, which says that it goes on when it is run again', async () => {
    await makeStale();
    const command = (): ReturnType<typeof runCommand> =>
      runCommand(['rebuild'], { env: { DATABASE_URL: database.url } });
    const lost =
      'A worker of the distributed database cannot be reached: see its log, and start it.';
    const again = 'Then run `deal-sets rebuild` again: it goes on with those that are left.';
    const total = subjects.length * REQUESTS;
    const before = subjects.indexOf(held) * REQUESTS;

    expect(await crashDuring(command)).toEqual({
      status: 'fulfilled',
      value: {
        exitCode: 1,
        stdout: '',
        stderr: `${lost} ${before} of ${total} requests were rebuilt. ${again}\n`,
      },
    });
    expect(await command()).toEqual({ exitCode: 1, stdout: '', stderr: `${lost} ${again}\n` });
    await restartNode(database.nodes[2]!);
    const left = subjects.length - subjects.indexOf(held);
    expect((await command()).stderr).toBe(
      `Rebuilt ${left * REQUESTS} requests: ${left * CHANGED} changed and moved in the feed.\n`,
    );
  }, 120_000);
});
