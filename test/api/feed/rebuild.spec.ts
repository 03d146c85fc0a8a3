import type { Client } from 'pg';
import { rebuild, type RebuildSummary } from '../../../src/database/rebuild.js';
import { dealSet, load, priceCheck, written } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { TestService } from '../../setup/test-service.js';
import { EPOCH, FeedWorld, idOf, idsOf, setPrice, type FeedBuyer } from './feed-world.js';
import { modelRows } from './read-model-rows.js';

const AT = '2026-02-01T00:00:00Z';
const PRICE = 4_711;

type PriceCheck = ReturnType<typeof priceCheck>;

/** What only the triggers may write, as rules of an earlier version left it. */
const staleListing = (id: string): string => `BEGIN;
  ALTER TABLE price_check DISABLE TRIGGER shows; ALTER TABLE price_check DISABLE TRIGGER feed_update;
  UPDATE price_check SET shown_trim = 'EX' WHERE id = '${id}';
  ALTER TABLE price_check ENABLE ALWAYS TRIGGER shows; ALTER TABLE price_check ENABLE ALWAYS TRIGGER feed_update;
  COMMIT`;
const staleRow = (id: string): string =>
  `UPDATE request_feed SET written = 7, is_active = false WHERE request_id = '${id}'`;

describe('a rebuild', () => {
  let world: FeedWorld;
  let client: Client;
  let anna: FeedBuyer;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 30, env: { FEED_MARGIN_MS: '0' } });
    client = await world.writer();
    // Beyond the page after which a rebuild notes where it is.
    await world.database.query(
      'INSERT INTO buyer (id) SELECT gen_random_uuid() FROM generate_series(1, 120)',
    );
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    anna = world.next();
  });

  const single = (given: Partial<PriceCheck> = {}): PriceCheck =>
    priceCheck({
      buyerId: anna.id,
      dealershipId: world.shop.id,
      listing: { year: 2025, trim: 'EX-L' },
      latestActivityAt: AT,
      ...given,
    });
  /** A deal set of two rows, placed in the past. */
  async function makeSet(): Promise<{ set: string; member: string }> {
    const set = dealSet({ buyerId: anna.id, latestActivityAt: AT });
    const members = [single({ dealSetId: set.id, ...written(5) }), single({ dealSetId: set.id })];
    await load(world.database, [set, ...members], { isBackfill: true });
    return { set: set.id, member: members[0]!.id };
  }
  async function makeSingle(): Promise<string> {
    const made = single(written(5));
    await load(world.database, [made], { isBackfill: true });
    return made.id;
  }
  const caughtUp = async (): Promise<string> => (await world.drain(EPOCH, anna)).at(-1)!.asOf;
  const run = (by = client): Promise<RebuildSummary> => rebuild(by);
  async function expectStoredAsDefined(): Promise<void> {
    const { stored, expected } = await modelRows(world.database.client);
    expect(stored).toEqual(expected);
  }
  const shownTrim = async (id: string): Promise<unknown> =>
    (await world.database.query('SELECT shown_trim FROM price_check WHERE id = $1', [id]))[0]?.[
      'shown_trim'
    ];
  const staleness: readonly (readonly [string, (set: string, member: string) => string])[] = [
    ['was computed by other rules', (set) => staleRow(set)],
    ['has a listing that was decided by other rules', (_set, member) => staleListing(member)],
    ['is missing in the feed', (set) => `DELETE FROM request_feed WHERE request_id = '${set}'`],
  ];

  it.each(staleness)('stamps a request once that %s, and no other', async (_what, makeStale) => {
    const { set, member } = await makeSet();
    await makeSet();
    await makeSingle();
    const since = await caughtUp();
    await world.database.client.query(makeStale(set, member));
    expect((await run()).changed).toBe(1);
    const pages = await world.drain(since, anna);
    expect(idsOf(pages)).toEqual([set]);
    expect(await shownTrim(member)).toBe('EX-L');
    await expectStoredAsDefined();
    expect((await run()).changed).toBe(0);
    expect(idsOf(await world.drain(pages.at(-1)!.asOf, anna))).toEqual([]);
  });

  it('after a changed rule moves exactly the requests that it shows otherwise', async () => {
    const touring = single({ listing: { year: 2025, trim: 'Touring' } });
    await load(world.database, [touring, single()], { isBackfill: true });
    const since = await caughtUp();
    const [was] = await world.database.query<{ text: string }>(
      `SELECT pg_get_functiondef('deal_sets.has_shape_of_car_words(text)'::regprocedure) AS text`,
    );
    await world.database.query(
      was!.text.replace('SELECT part ~', `SELECT part <> 'Touring' AND part ~`),
    );
    try {
      expect((await run()).changed).toBe(1);
      expect(idsOf(await world.drain(since, anna))).toEqual([touring.id]);
      expect(await shownTrim(touring.id)).toBeNull();
      expect((await run()).changed).toBe(0);
    } finally {
      await world.database.query(was!.text);
      await run();
    }
  });

  it('takes requests out of the feed that are not there', async () => {
    await world.database.query(
      `INSERT INTO request_feed (buyer_id, request_id, kind, feed_at, is_time_known, is_pending, needs_recompute)
       VALUES ($1, gen_random_uuid(), 'single', now(), true, false, false)`,
      [anna.id],
    );
    expect((await run()).changed).toBe(1);
    await expectStoredAsDefined();
  });

  it('that was ended goes on where it was', async () => {
    const all = await run();
    const ended = rebuild(client, {
      onProgress: ({ buyers }) => {
        if (buyers === 110) throw new Error('ended');
      },
    });
    await expect(ended).rejects.toThrow('ended');
    expect((await run()).buyers).toBe(all.buyers - 100);
    expect((await run()).buyers).toBe(all.buyers);
  });

  it('is what /health/ready names until it is done', async () => {
    const service = await TestService.start({ database: world.database });
    const ready = async (): Promise<unknown> =>
      JSON.parse((await service.send('GET', '/health/ready', undefined)).text);
    try {
      expect(await ready()).toEqual({ status: 'ok' });
      await world.database.query(`UPDATE schema_code SET rebuilt_hash = 'of other rules'`);
      await eventually(async () =>
        expect(await ready()).toEqual({ status: 'ok', pending: 'rebuild' }),
      );
      await run();
      await eventually(async () => expect(await ready()).toEqual({ status: 'ok' }));
    } finally {
      await service.stop();
    }
  });

  it('skips nothing of a poller while writers change the same requests', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await makeSingle());
    let since = await caughtUp();
    for (const id of ids) await world.database.query(staleRow(id));
    const seen = new Map<string, number | null>();
    const ended = new AbortController();
    const poller = (async () => {
      for (;;) {
        const last = ended.signal.aborted;
        const page = await world.poll(since, anna);
        for (const entry of page.entries) seen.set(entry.id!, entry.lowestWrittenOtdCents);
        since = page.asOf;
        if (last && !page.hasMore) return;
      }
    })();
    const writer = await world.writer();
    const writers = (async () => {
      for (const [price, id] of [...ids].reverse().entries())
        await writer.query(setPrice(id, price));
    })();
    await Promise.all([run(), writers]);
    ended.abort();
    await poller;
    expect(seen).toEqual(new Map([...ids].reverse().map((id, price) => [id, price])));
  });

  /** A rebuild and a writer meet at a request: one waits, and what is stored in the end says both. */
  describe('beside a writer of the same request', () => {
    let writer: Client;

    beforeAll(async () => {
      writer = await world.writer();
    });
    afterEach(async () => {
      await writer.query('ROLLBACK');
      await client.query('ROLLBACK');
    });

    /** The price and the words of a listing. */
    const change = (id: string): string =>
      `UPDATE price_check SET listing_trim = 'Touring', answer = 'same_car', otd_cents = ${PRICE}, written_at = now()
       WHERE id = '${id}'`;
    const pidOf = async (by: Client): Promise<number> =>
      (await by.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
    async function isWaiting(pid: number): Promise<void> {
      await eventually(async () => {
        const waiting = await world.database.query(
          `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`,
          [pid],
        );
        expect(waiting).toHaveLength(1);
      }, 20_000);
    }
    /** Times of a request under which a follower is given it with the writer's price. */
    function follow(id: string, since: string) {
      const times = new Set<string>();
      const over = new AbortController();
      const following = (async () => {
        for (let from = since; ;) {
          const isLast = over.signal.aborted;
          const page = await world.poll(from, anna);
          for (const entry of page.entries) {
            const { latestActivityAt, lowestWrittenOtdCents } = entry;
            if (idOf(entry) === id && lowestWrittenOtdCents === PRICE) times.add(latestActivityAt!);
          }
          from = page.asOf;
          if (isLast && !page.hasMore) return;
        }
      })();
      return {
        times,
        async end(): Promise<string[]> {
          over.abort();
          await following;
          return [...times];
        },
      };
    }

    describe.each(staleness.slice(0, 2))('that %s', (_what, makeStale) => {
      it('waits for the one who was first', async () => {
        const { set, member } = await makeSet();
        await world.database.client.query(makeStale(set, member));
        const sightings = follow(set, await caughtUp());
        await writer.query('BEGIN');
        await writer.query(change(member));
        const pid = await pidOf(client);
        await client.query('BEGIN');
        const rebuilt = client.query('SELECT * FROM deal_sets.rebuild_buyer($1)', [anna.id]);
        await isWaiting(pid);
        await writer.query('COMMIT');
        await rebuilt;
        // Seen between the two commits, so that a stamp of the rebuild would be a second one.
        await eventually(() => expect(sightings.times.size).toBe(1));
        await client.query('COMMIT');
        expect(await sightings.end()).toHaveLength(1);
        expect(await shownTrim(member)).toBe('Touring');
        await expectStoredAsDefined();
      });

      it('lets one who comes later wait', async () => {
        const { set, member } = await makeSet();
        await world.database.client.query(makeStale(set, member));
        const sightings = follow(set, await caughtUp());
        await client.query('BEGIN');
        await client.query('SELECT * FROM deal_sets.rebuild_buyer($1)', [anna.id]);
        const pid = await pidOf(writer);
        const changed = writer.query(change(member));
        await isWaiting(pid);
        await client.query('COMMIT');
        await changed;
        expect(await sightings.end()).toHaveLength(1);
        expect(await shownTrim(member)).toBe('Touring');
        await expectStoredAsDefined();
      });
    });

    it('and beside another rebuild leaves to that one what it has done', async () => {
      const id = await makeSingle();
      await world.database.query(staleRow(id));
      const summaries = await Promise.all([run(), run(await world.writer())]);
      expect(summaries[0].changed + summaries[1].changed).toBe(1);
    });
  });
});
