import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { dealSet, insertHistory, priceCheck } from '../../builders/index.js';
import type { TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';
import {
  databaseTime,
  EPOCH,
  FeedWorld,
  oneHourClaims,
  keyOf,
  latestOf,
  NO_MARGIN,
  type Entry,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';
import { modelRows } from './read-model-rows.js';
import { runWriters, type WritersOptions, type WritersOutcome } from './writers.js';

const DEFAULT_MARGIN_MS = 1000;

export interface PropertyOptions extends WritersOptions {
  readonly pollers: number;
  /** The number of buyers besides the one that no client polls. Default: 3. */
  readonly buyers?: number;
  /** The caller's own world. Default: a new one. */
  readonly database?: TestDatabase;
  /** How many polls and comparisons happen beside the writers at least. */
  readonly atLeast?: Pick<PropertyOutcome, 'polls' | 'compared'>;
  /** Work to do meanwhile; it ends before the clients are compared. */
  readonly meanwhile?: () => Promise<void>;
}

export interface PropertyOutcome extends WritersOutcome {
  polls: number;
  /** Entries that were returned again in an unchanged state. */
  repeated: number;
  /** Snapshots in which the read model was compared with the domain. */
  compared: number;
}

/** A client that follows only the two headers, and keeps one entry of each id and kind. */
class FollowingClient {
  readonly known = new Map<string, Entry>();
  polls = 0;
  repeated = 0;
  #since = EPOCH;

  constructor(
    private readonly world: FeedWorld,
    readonly buyer: Reader,
    private readonly as: 'session' | 'assistant',
    private readonly marginMs: number,
    private readonly clock: Client,
  ) {}

  /** @returns whether more remains. */
  async poll(): Promise<boolean> {
    const calledAt = performance.now();
    const startedAt = await databaseTime(this.clock);
    const page = await this.world.poll(this.#since, this.buyer, this.as);
    const [sinceMs, asOfMs] = [Date.parse(this.#since), Date.parse(page.asOf)];
    expect(asOfMs).toBeGreaterThanOrEqual(sinceMs);
    if (page.hasMore) expect(asOfMs).toBeGreaterThan(sinceMs);
    // Service-As-Of may be later than the call only where progress requires it, within the margin.
    const isForced = page.hasMore && sinceMs >= startedAt - 2 * DEFAULT_MARGIN_MS;
    if (this.marginMs === DEFAULT_MARGIN_MS && !isForced) {
      // A busy machine may take longer than the margin to start the read.
      const lateMs = Math.max(0, performance.now() - calledAt - this.marginMs);
      expect(asOfMs).toBeLessThanOrEqual(startedAt + lateMs);
    }
    for (const entry of page.entries) {
      const before = this.known.get(keyOf(entry));
      if (before?.latestActivityAt === entry.latestActivityAt) this.repeated += 1;
      this.known.set(keyOf(entry), entry);
    }
    this.polls += 1;
    this.#since = page.asOf;
    return page.hasMore;
  }

  /**
   * Retries after a 503, which a busy machine may return, as clients do. The property is that
   * nothing is skipped.
   */
  async follow(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      try {
        if (!(await this.poll())) await sleep(Math.random() * 100);
      } catch (error) {
        if (!/^503 /.test((error as Error).message)) throw error;
        await sleep(100);
      }
    }
  }

  /**
   * Polls until nothing remains. The client must then have the entries of the feed, as a client
   * that starts now receives them.
   */
  async expectUpToDate(): Promise<void> {
    while (await this.poll());
    const stamps = await this.world.database.query<{ key: string; at: Date }>(
      `SELECT kind || ':' || request_id AS key, feed_at AS at FROM deal_sets.request_feed WHERE buyer_id = $1`,
      [this.buyer.id],
    );
    // The feed has no tombstones, so a client may still have deleted entries.
    const known = stamps.map(({ key }) => [key, this.known.get(key)] as const);
    expect(known.map(([key, entry]) => [key, entry?.latestActivityAt])).toEqual(
      stamps.map(({ key, at }) => [key, at.toISOString()]),
    );
    const fresh = latestOf(await this.world.drain(EPOCH, this.buyer, this.as));
    const shown = (entries: Iterable<readonly [string, Entry | undefined]>): unknown =>
      Object.fromEntries([...entries].map(([key, entry]) => [key, this.#withoutNames(entry)]));
    expect(shown(known)).toEqual(shown(fresh));
  }

  /**
   * Returns an entry without the names of dealerships, which a renaming changes without moving the
   * request. An assistant gets no names.
   */
  #withoutNames(entry: Entry | undefined): unknown {
    if (this.as === 'assistant') return entry;
    return { ...entry, dealerLabel: undefined, chosenLabels: undefined };
  }
}

/**
 * Runs writers and clients at once; meanwhile every snapshot of the read model must equal what the
 * domain computes. Then the writers stop, and every client polls until nothing remains. It must
 * have every request as the database has it. Half of the clients call a service without a margin.
 */
export async function checkFeedProperty(options: PropertyOptions): Promise<PropertyOutcome> {
  const { buyers = 3, database, isDistributed = false } = options;
  const world = await FeedWorld.start({ buyers: buyers + 1, ...(database && { database }) });
  const sharp = await TestService.start({ database: world.database, ...NO_MARGIN });
  try {
    await makeRequests(world);
    const followers = await Promise.all(
      Array.from({ length: options.pollers }, async (_, index) => {
        const as = index % 4 < 2 ? 'session' : 'assistant';
        const buyer = world.buyers[index % buyers]!;
        const clock = await world.writer();
        if (index % 2 === 0) return new FollowingClient(world, buyer, as, DEFAULT_MARGIN_MS, clock);
        const assistant = await sharp.tokenFor(buyer.id, oneHourClaims());
        return new FollowingClient(world.onService(sharp), { ...buyer, assistant }, as, 0, clock);
      }),
    );
    const reader = await world.writer();
    let compared = 0;
    const compare = async (): Promise<void> => {
      const { stored, expected } = await modelRows(reader);
      expect(stored).toEqual(expected);
      compared += 1;
    };
    const over = new AbortController();
    const following = Promise.all([
      ...followers.map((follower) => follower.follow(over.signal)),
      // On a distributed database, a snapshot covers one node.
      isDistributed || repeat(compare, over.signal),
      options.meanwhile?.(),
    ]);
    const sum = (what: 'polls' | 'repeated'): number =>
      followers.reduce((total, follower) => total + follower[what], 0);
    let hasFailed = false;
    following.catch(() => (hasFailed = true));
    const { atLeast = { polls: 0, compared: 0 } } = options;
    const isEnough = (): boolean =>
      hasFailed || (sum('polls') >= atLeast.polls && compared >= atLeast.compared);
    const written = await runWriters(world, options, isEnough).finally(() => over.abort());
    await following;
    await compare();
    for (const follower of followers) await follower.expectUpToDate();
    return { ...written, polls: sum('polls'), repeated: sum('repeated'), compared };
  } finally {
    // A name that is also a word of listings would look like a leak.
    await world.database.query('UPDATE deal_sets.dealership SET name = $1 WHERE id = $2', [
      world.renamed.name,
      world.renamed.id,
    ]);
    await sharp.stop();
    await world.stop();
  }
}

async function repeat(act: () => Promise<void>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await act();
    await sleep(20);
  }
}

async function makeRequests(world: FeedWorld): Promise<void> {
  const latestActivityAt = '2026-02-01T00:00:00Z';
  const records = world.buyers.flatMap(({ id: buyerId }) => {
    const sets = Array.from({ length: 10 }, () => dealSet({ buyerId, latestActivityAt }));
    const check = (index: number) => ({
      buyerId,
      dealershipId: index % 4 === 0 ? world.renamed.id : world.dealership.id,
      listing: { year: 2025, model: 'CR-V', trim: index % 3 === 0 ? 'Kestrel' : 'EX' },
    });
    return [
      ...sets,
      ...sets.flatMap(({ id: dealSetId }) =>
        [0, 1, 2].map((index) => priceCheck({ ...check(index), dealSetId })),
      ),
      ...Array.from({ length: 100 }, (_, index) =>
        priceCheck({ ...check(index), latestActivityAt, unlockedAt: latestActivityAt }),
      ),
    ];
  });
  await insertHistory(world.database, records);
}
