import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { dealSet, load, priceCheck } from '../../builders/index.js';
import type { TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';
import {
  databaseTime,
  EPOCH,
  FeedWorld,
  forAnHour,
  keyOf,
  latestOf,
  type Entry,
  type FeedBuyer,
  type Poll,
} from './feed-world.js';
import { runWriters, type WritersOptions, type WritersOutcome } from './random-writers.js';

const DEFAULT_MARGIN_MS = 1000;

export interface PropertyOutcome extends WritersOutcome {
  polls: number;
  /** Entries that came more than once in the state they already had. */
  repeated: number;
  requests: number;
}

/** A reader of the feed, which keeps one entry of each id and kind. */
export interface FeedFollower {
  readonly buyer: FeedBuyer;
  readonly known: ReadonlyMap<string, Entry>;
  readonly polls: number;
  readonly repeated: number;
  /** Polls until `isOver`. */
  follow(isOver: () => boolean): Promise<void>;
  /** Polls until nothing is left. */
  drain(): Promise<void>;
  /** What a client that begins now receives. */
  readAll(): Promise<Map<string, Entry>>;
}

/** Whom a follower reads as, and where. */
export interface FollowerOptions {
  readonly world: FeedWorld;
  readonly buyer: FeedBuyer;
  readonly as: 'session' | 'assistant';
  readonly marginMs: number;
}

/** A client that follows the two headers and nothing else. */
class Follower implements FeedFollower {
  readonly known = new Map<string, Entry>();
  since = EPOCH;
  polls = 0;
  repeated = 0;

  private readonly world: FeedWorld;
  readonly buyer: FeedBuyer;
  private readonly as: FollowerOptions['as'];
  private readonly marginMs: number;

  constructor(
    options: FollowerOptions,
    private readonly clock: Client,
  ) {
    ({ world: this.world, buyer: this.buyer, as: this.as, marginMs: this.marginMs } = options);
  }

  async poll(): Promise<Poll> {
    const calledAt = performance.now();
    const startedAt = await databaseTime(this.clock);
    const page = await this.world.poll(this.since, this.buyer, this.as);
    const [sinceMs, asOfMs] = [Date.parse(this.since), Date.parse(page.asOf)];
    expect(asOfMs).toBeGreaterThanOrEqual(sinceMs);
    if (page.hasMore) expect(asOfMs).toBeGreaterThan(sinceMs);
    // Only where progress needs it, within the margin, may it be later than the call.
    const isForced = page.hasMore && sinceMs >= startedAt - 2 * DEFAULT_MARGIN_MS;
    if (this.marginMs === DEFAULT_MARGIN_MS && !isForced) {
      // A busy machine may take longer than the margin to get to the read.
      const lateMs = Math.max(0, performance.now() - calledAt - this.marginMs);
      expect(asOfMs).toBeLessThanOrEqual(startedAt + lateMs);
    }
    for (const entry of page.entries) {
      const before = this.known.get(keyOf(entry));
      if (before?.latestActivityAt === entry.latestActivityAt) this.repeated += 1;
      this.known.set(keyOf(entry), entry);
    }
    this.polls += 1;
    this.since = page.asOf;
    return page;
  }

  /** After a 503, which a busy machine may give, it tries again as clients do: what is asked is that nothing is skipped. */
  async follow(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        if (!(await this.poll()).hasMore) await sleep(Math.random() * 100);
      } catch (error) {
        if (!/^503 /.test((error as Error).message)) throw error;
        await sleep(100);
      }
    }
  }

  async drain(): Promise<void> {
    while ((await this.poll()).hasMore);
  }

  async readAll(): Promise<Map<string, Entry>> {
    return latestOf(await this.world.drain(EPOCH, this.buyer, this.as));
  }
}

/**
 * Writers and clients at once; then the writers stop, every client polls until nothing is left, and must
 * know every request as the database has it. Half of the clients call a service without a margin.
 */
export async function provesFeed(
  options: WritersOptions & {
    pollers: number;
    /** Makes the followers; default: clients that follow the two headers. */
    makeFollower?: (follower: FollowerOptions) => FeedFollower;
    /** Default 3. */
    buyers?: number;
    /** The caller's own; default: a fresh one. */
    database?: TestDatabase;
    /** Something to do meanwhile; it ends before the clients are compared. */
    meanwhile?: () => Promise<void>;
  },
): Promise<PropertyOutcome> {
  const { buyers = 3, database } = options;
  const world = await FeedWorld.start({ buyers, ...(database && { database }) });
  const sharp = await TestService.start({ database: world.database, env: { FEED_MARGIN_MS: '0' } });
  const sharpWorld = world.through(sharp);
  try {
    await makeRequests(world);
    const followers = await Promise.all(
      Array.from({ length: options.pollers }, async (_, index) => {
        const isSharp = index % 2 === 1;
        const buyer = world.buyers[index % world.buyers.length]!;
        const through = isSharp
          ? { ...buyer, assistant: await sharp.tokenFor(buyer.id, forAnHour()) }
          : buyer;
        const follower = {
          world: isSharp ? sharpWorld : world,
          buyer: through,
          as: index % 4 < 2 ? ('session' as const) : ('assistant' as const),
          marginMs: isSharp ? 0 : DEFAULT_MARGIN_MS,
        };
        return options.makeFollower?.(follower) ?? new Follower(follower, await world.writer());
      }),
    );
    let isOver = false;
    const following = Promise.all(followers.map((follower) => follower.follow(() => isOver)));
    const busy = options.meanwhile?.();
    const written = await runWriters(world, options).finally(() => (isOver = true));
    await following;
    await busy;
    for (const follower of followers) {
      await follower.drain();
      await expectUpToDate(world, follower);
    }
    const sum = (of: (follower: FeedFollower) => number): number =>
      followers.reduce((total, follower) => total + of(follower), 0);
    return {
      ...written,
      polls: sum((follower) => follower.polls),
      repeated: sum((follower) => follower.repeated),
      requests: (await world.database.query('SELECT 1 FROM request_feed')).length,
    };
  } finally {
    await sharp.stop();
    await world.stop();
  }
}

async function makeRequests(world: FeedWorld): Promise<void> {
  const latestActivityAt = '2026-02-01T00:00:00Z';
  const dealershipId = world.shop.id;
  const records = world.buyers.flatMap(({ id: buyerId }) => {
    const sets = Array.from({ length: 10 }, () => dealSet({ buyerId, latestActivityAt }));
    return [
      ...sets,
      ...sets.flatMap(({ id }) =>
        [1, 2].map(() =>
          priceCheck({ buyerId, dealSetId: id, dealershipId, chosenAt: latestActivityAt }),
        ),
      ),
      ...Array.from({ length: 30 }, (_, index) =>
        priceCheck({
          buyerId,
          dealershipId: index < 3 ? world.renamed.id : dealershipId,
          latestActivityAt,
          unlockedAt: latestActivityAt,
        }),
      ),
    ];
  });
  await load(world.database, records, { isBackfill: true });
}

/** What the client knows is what the database holds, and what a client that reads everything now receives. */
async function expectUpToDate(world: FeedWorld, follower: FeedFollower): Promise<void> {
  const rows = await world.database.query<{ key: string; at: Date; version: string | null }>(
    `SELECT f.kind || ':' || f.request_id AS key, f.feed_at AS at,
       CASE f.kind WHEN 'deal_set' THEN s.dealers_found
         ELSE CASE WHEN p.written_at IS NOT NULL THEN p.otd_cents END END AS version
     FROM request_feed f
     LEFT JOIN deal_set s ON s.buyer_id = f.buyer_id AND s.id = f.request_id
     LEFT JOIN price_check p ON p.buyer_id = f.buyer_id AND p.id = f.request_id
     WHERE f.buyer_id = $1 ORDER BY 1`,
    [follower.buyer.id],
  );
  const held = new Map(
    rows.map(({ key, at, version }) => [
      key,
      { at: at.toISOString(), version: version && Number(version) },
    ]),
  );
  const stamps = [...follower.known].map(([key, entry]) => [key, entry.latestActivityAt]);
  expect(Object.fromEntries(stamps)).toEqual(
    Object.fromEntries([...held].map(([key, { at }]) => [key, at])),
  );
  const fresh = await follower.readAll();
  expect(Object.fromEntries(follower.known)).toEqual(Object.fromEntries(fresh));
  for (const entry of follower.known.values()) {
    const shown = entry.kind === 'single' ? entry.lowestWrittenOtdCents : entry.dealerCount;
    if (entry.kind === 'single' || shown !== null)
      expect(shown).toBe(held.get(keyOf(entry))!.version);
  }
}
