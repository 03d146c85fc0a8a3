import { Client } from 'pg';
import {
  rebuild,
  type RebuildOptions,
  type RebuildSummary,
} from '../../../src/operations/rebuild.js';
import { exportFile } from '../../../src/operations/export/export-file.js';
import { dealSet, insertHistory, load, priceCheck } from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';
import { checkFeedProperty } from './feed-property.js';
import {
  databaseTime,
  FeedWorld,
  idOf,
  insertReply,
  insertSingle,
  NO_MARGIN,
  pastStamp,
  setPrice,
  STAMP,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

const BUYERS = 24;

let world: FeedWorld;
let client: Client;
let anna: Reader;

beforeAll(async () => {
  world = await FeedWorld.start({ buyers: BUYERS, ...NO_MARGIN });
  client = await world.writer();
});
afterAll(() => world.stop());
beforeEach(() => {
  anna = world.unusedBuyer();
});
afterEach(() => world.rollback());

interface RestampOptions extends Omit<RebuildOptions, 'restamp'> {
  readonly afterMs?: number;
}

/** Runs a rebuild that stamps every request anew. */
async function restamp(
  by: Client,
  { afterMs: requestedMs, ...options }: RestampOptions = {},
): Promise<RebuildSummary & { readonly afterMs: number }> {
  let afterMs = 0;
  const progress = {
    ...SILENT,
    ...options.progress,
    begin: (_buyers: number, ms = 0): void => void (afterMs = ms),
  };
  const done = await rebuild(by, {
    ...options,
    restamp: requestedMs === undefined ? {} : { afterMs: requestedMs },
    progress,
  });
  return { ...done, afterMs };
}
const ofAnna = (): RestampOptions => ({ buyerId: anna.id });
const nowMs = async (): Promise<number> => Math.floor(await world.databaseTime());
const iso = (ms: number): string => new Date(ms).toISOString();

interface StampedRequest {
  readonly id: string;
  readonly ms: number;
}
/** The requests of a buyer with their stamps, in the order of the feed. */
function stampsOf(reader = anna, database = world.database): Promise<StampedRequest[]> {
  return database.query<{ id: string; ms: number }>(
    `SELECT request_id AS id, (extract(epoch FROM feed_at) * 1000)::float8 AS ms
     FROM deal_sets.request_feed WHERE buyer_id = $1 ORDER BY feed_at, request_id`,
    [reader.id],
  );
}

describe('a rebuild with --restamp after an older state of the database was restored', () => {
  let restored: TestDatabase;
  let service: TestService;
  let after: FeedWorld;

  /** A copy of the current state in its own database. */
  async function restore(): Promise<void> {
    const lines: string[] = [];
    for await (const line of exportFile(client)) lines.push(line);
    restored = await createTestDatabase();
    await load(restored, lines.join(''), { isBackfill: true });
    service = await TestService.start({ database: restored, ...NO_MARGIN });
    after = world.onService(service);
  }
  afterEach(async () => {
    await service.stop();
    await restored.drop();
  });

  it('returns every request once to a client with a newer since, and then only changes', async () => {
    const { singles, sets } = await world.loadHistory(anna, 30, 30);
    // Stamped by the clock, as in production.
    await world.database.query(setPrice(singles[0]!, 1));
    await restore();
    // Changes that the restore removes. The client's since is later than all restored data.
    await world.database.query(setPrice(singles[1]!, 2));
    const since = await world.latestWatermark(anna);
    expect(await after.changedIdsSince(since, anna)).toEqual([]);

    const writer = await openOn(restored);
    const { stamped, buyers } = await restamp(writer);
    expect({ stamped, buyers }).toEqual({ stamped: 60, buyers: BUYERS });
    const pages = await after.drain(since, anna);
    const seen = pages.flatMap((page) => page.entries.map(idOf));
    expect(seen.toSorted()).toEqual([...singles, ...sets].sort());
    await writer.query(setPrice(singles[2]!, 3));
    expect(await after.changedIdsSince(pages.at(-1)!.asOf, anna)).toEqual([singles[2]]);
    await writer.end();
  });

  it('returns what was written since then on a clock that was behind', async () => {
    const { singles } = await world.loadHistory(anna, 3, 0);
    await restore();
    // The old server's clock was ahead, and so are the times that it returned.
    const handedOutMs = (await nowMs()) + 1_500;
    const writer = await openOn(restored);
    await writer.query(setPrice(singles[0]!, 1));
    await restamp(writer, { ...ofAnna(), afterMs: handedOutMs });
    expect(await databaseTime(writer)).toBeGreaterThan(handedOutMs);
    expect(await after.changedIdsSince(iso(handedOutMs), anna)).toEqual(singles.toSorted());
    await writer.end();
  });
});

describe('a rebuild with --restamp', () => {
  it('stamps the requests of one buyer, where one is named', async () => {
    await world.loadHistory(anna, 2, 2);
    const ben = world.unusedBuyer();
    await world.loadHistory(ben, 2, 2);
    const [before, ofBen] = [await stampsOf(), await stampsOf(ben)];
    expect(await restamp(client, ofAnna())).toMatchObject({ buyers: 1, stamped: 4 });
    expect((await stampsOf())[0]!.ms).toBeGreaterThan(before.at(-1)!.ms);
    expect(await stampsOf(ben)).toEqual(ofBen);
  });

  it('moves latestActivityAt with the stamp, and leaves an unknown one null', async () => {
    const { sets } = await world.loadHistory(anna, 0, 1);
    const unknown = priceCheck({ buyerId: anna.id, dealershipId: world.dealership.id });
    await insertHistory(world.database, [unknown]);
    const since = await world.latestWatermark(anna);
    const { afterMs } = await restamp(client, ofAnna());
    const { entries } = await world.poll(since, anna);
    const times = new Map(entries.map((entry) => [idOf(entry), entry.latestActivityAt]));
    expect([...times.keys()].sort()).toEqual([unknown.id, ...sets].sort());
    expect(times.get(unknown.id)).toBeNull();
    expect(Date.parse(times.get(sets[0]!)!)).toBeGreaterThan(afterMs);
  });

  it('leaves replies unchanged', async () => {
    const { singles } = await world.loadHistory(anna, 1, 0);
    await world.database.query(insertReply(anna.id, singles[0]!));
    const [before] = await world.repliesOf(anna);
    expect(before).toMatchObject({ hasStampOfRequest: true });
    await restamp(client, ofAnna());
    expect(await world.repliesOf(anna)).toEqual([{ ...before, hasStampOfRequest: false }]);
  });

  it('distinguishes a deal set and a single request with the same id', async () => {
    const at = '2026-02-01T00:00:00Z';
    const set = dealSet({ buyerId: anna.id, latestActivityAt: at });
    const single = priceCheck({
      id: set.id,
      buyerId: anna.id,
      dealershipId: world.dealership.id,
      latestActivityAt: at,
    });
    await insertHistory(world.database, [set, single]);
    const since = await world.latestWatermark(anna);
    expect(await restamp(client, ofAnna())).toMatchObject({ stamped: 2 });
    expect((await world.poll(since, anna)).entries).toHaveLength(2);
  });

  it('waits until the database’s clock is past the given time', async () => {
    await world.loadHistory(anna, 1, 1);
    const afterMs = (await nowMs()) + 1_200;
    const waits: number[] = [];
    const waiting = (remainingMs: number): unknown => waits.push(remainingMs);
    await restamp(client, { ...ofAnna(), afterMs, progress: { ...SILENT, waiting } });
    expect(waits[0]).toBeGreaterThan(0);
    for (const { ms } of await stampsOf()) expect(ms).toBeGreaterThan(afterMs);
  });

  it('waits for the newest stamp when that is ahead of the clock and no time is given', async () => {
    const { singles } = await world.loadHistory(anna, 2, 0);
    const aheadMs = (await nowMs()) + 1_200;
    await world.database.query(
      'UPDATE deal_sets.request_feed SET feed_at = $1 WHERE request_id = $2',
      [iso(aheadMs), singles[0]],
    );
    const { afterMs } = await restamp(client, ofAnna());
    expect(afterMs).toBe(aheadMs);
    for (const { ms } of await stampsOf()) expect(ms).toBeGreaterThan(aheadMs);
  });

  it('continues after an interruption when it is run again with the same time', async () => {
    await restamp(client);
    const ben = world.unusedBuyer();
    for (const buyer of [anna, ben]) await world.loadHistory(buyer, 60, 0);
    // This time is after that history, and before every other stamp.
    const afterMs = Date.parse('2026-02-02T00:00:00Z');
    const all = async (): Promise<StampedRequest[]> => [
      ...(await stampsOf()),
      ...(await stampsOf(ben)),
    ];
    const isDone = ({ ms }: StampedRequest): boolean => ms > afterMs;
    const within = new AbortController();
    const advance = ({ stamped }: RebuildSummary): void => {
      if (stamped > 60) within.abort(new Error('ended within the second buyer'));
    };
    const ended = restamp(await world.writer(), {
      afterMs,
      signal: within.signal,
      progress: { ...SILENT, advance },
    });
    await expect(ended).rejects.toThrow('ended within the second buyer');
    const done = (await all()).filter(isDone);
    expect(done).toHaveLength(85);

    expect(await restamp(client, { afterMs })).toMatchObject({ buyers: BUYERS, stamped: 35 });
    const end = await all();
    expect(end.every(isDone)).toBe(true);
    // The requests that were already stamped keep their stamps.
    expect(end).toEqual(expect.arrayContaining(done));
    expect(await restamp(client, { afterMs })).toMatchObject({ buyers: BUYERS, stamped: 0 });
  });

  it('ends at once while it waits for a writer', async () => {
    await world.loadHistory(anna, 1, 0);
    const writer = await world.writer();
    const [, insert] = insertSingle(world, anna);
    await writer.query(`BEGIN; ${insert}; ${STAMP}`);
    const waiting = new AbortController();
    const ended = restamp(await world.writer(), { ...ofAnna(), signal: waiting.signal });
    ended.catch(() => undefined);
    await untilLockWaits(world.database);
    waiting.abort(new Error('ended'));
    await expect(ended).rejects.toThrow('ended');
  });

  it('finds no buyer for an unknown id', async () => {
    const buyerId = '99999999-9999-4999-8999-999999999999';
    expect(await restamp(client, { buyerId })).toMatchObject({ buyers: 0, stamped: 0 });
  });

  // The last of its kind: tests before it stamp the requests of all buyers.
  it('stamps thousands of requests in their order, a few of them at one time', async () => {
    const count = 2_000;
    await world.database.query(
      `INSERT INTO deal_sets.price_check (buyer_id, id, dealership_id, requested_at)
       SELECT $1, gen_random_uuid(), $2, now() FROM generate_series(1, ${count})`,
      [anna.id, world.dealership.id],
    );
    await world.database.query(
      `UPDATE deal_sets.request_feed f SET feed_at = timestamptz '2026-02-01Z' + n.place * interval '1 minute'
       FROM (SELECT request_id, row_number() OVER () AS place FROM deal_sets.request_feed WHERE buyer_id = $1) n
       WHERE f.buyer_id = $1 AND f.request_id = n.request_id`,
      [anna.id],
    );
    const before = await stampsOf();
    const since = await world.latestWatermark(anna);
    expect(await restamp(client, ofAnna())).toMatchObject({ stamped: count });
    const places = new Map(before.map(({ id }, place) => [id, place]));
    const ties = new Map<number, number[]>();
    for (const { id, ms } of await stampsOf()) {
      ties.set(ms, [...(ties.get(ms) ?? []), places.get(id)!]);
    }
    expect(Math.max(...[...ties.values()].map(({ length }) => length))).toBeLessThanOrEqual(25);
    // Requests of one time are next to each other in the order.
    const order = [...ties.values()].flatMap((tied) => tied.toSorted((a, b) => a - b));
    expect(order).toEqual(before.map((_, place) => place));
    const pages = await world.drain(since, anna);
    expect(pages.flatMap((page) => page.entries)).toHaveLength(count);
  });
});

describe('a rebuild with --restamp beside writers', () => {
  it('also stamps what a writer had stamped before the time and commits late', async () => {
    // The buyer has no other request, because stamping one would wait for the writer anyway.
    const writer = await world.writer();
    const [id, insert] = insertSingle(world, anna);
    await writer.query(`BEGIN; ${insert}; ${STAMP}`);
    await pastStamp();
    // Later than that stamp, because a client of the old server may hold this time.
    const afterMs = await nowMs();
    const restamped = restamp(client, { ...ofAnna(), afterMs });
    await Promise.race([untilLockWaits(world.database), restamped]);
    await writer.query('COMMIT');
    await restamped;
    expect(await world.changedIdsSince(iso(afterMs), anna)).toContain(id);
  });

  it('does not stamp a request that a writer stamps', async () => {
    const { singles } = await world.loadHistory(anna, 1, 0);
    const writer = await world.writer();
    const afterMs = await nowMs();
    await writer.query(`BEGIN; ${setPrice(singles[0]!, 5)}`);
    const restamped = restamp(client, { ...ofAnna(), afterMs });
    await untilLockWaits(world.database);
    await writer.query('COMMIT');
    expect(await restamped).toMatchObject({ buyers: 1, stamped: 0 });
    expect((await stampsOf())[0]!.ms).toBeGreaterThan(afterMs);
  });

  it('stamps each request once beside other restamps', async () => {
    await world.loadHistory(anna, 60, 0);
    const afterMs = await nowMs();
    const both = [client, await world.writer()].map((by) => restamp(by, { ...ofAnna(), afterMs }));
    const [first, second] = await Promise.all(both);
    expect(first!.stamped + second!.stamped).toBe(60);
  });

  it('loses nothing that clients follow meanwhile', async () => {
    const database = await createTestDatabase();
    try {
      let stamped = 0;
      const outcome = await checkFeedProperty({
        database,
        commits: 120,
        writers: 8,
        pollers: 6,
        longestPauseMs: 200,
        seed: PROPERTY_SEED,
        meanwhile: async () => {
          const by = await openOn(database);
          for (let round = 0; round < 2; round += 1) stamped += (await restamp(by)).stamped;
          await by.end();
        },
      });
      expect(outcome.commits).toBeGreaterThanOrEqual(120);
      // Four buyers with 110 requests each, some of which a writer stamps first.
      expect(stamped).toBeGreaterThan(300);
    } finally {
      await database.drop();
    }
  });
});

async function openOn({ url }: TestDatabase): Promise<Client> {
  const opened = new Client({ connectionString: url });
  await opened.connect();
  return opened;
}

const SILENT = { begin: () => undefined, waiting: () => undefined, advance: () => undefined };
