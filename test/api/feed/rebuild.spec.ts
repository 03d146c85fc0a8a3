import type { Client } from 'pg';
import { rebuild, type RebuildSummary } from '../../../src/operations/rebuild.js';
import { dealSet, insertHistory, priceCheck, written } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { TestService } from '../../setup/test-service.js';
import { FeedWorld, idOf, NO_MARGIN, setPrice, type Entry } from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';
import { modelRows } from './read-model-rows.js';

const AT = '2026-02-01T00:00:00Z';
const PRICE = 4_711;

type PriceCheck = ReturnType<typeof priceCheck>;

/** Values that only triggers may write, as the rules of an earlier version decided them. */
const staleListing = (id: string): string => `BEGIN;
  ALTER TABLE deal_sets.price_check DISABLE TRIGGER _100_set_shown; ALTER TABLE deal_sets.price_check DISABLE TRIGGER _900_mark_update;
  UPDATE deal_sets.price_check SET shown_trim = 'lakeside.com' WHERE id = '${id}';
  ALTER TABLE deal_sets.price_check ENABLE ALWAYS TRIGGER _100_set_shown; ALTER TABLE deal_sets.price_check ENABLE ALWAYS TRIGGER _900_mark_update;
  COMMIT`;
const staleRow = (id: string): string =>
  `UPDATE deal_sets.request_feed SET written = 7, is_active = false WHERE request_id = '${id}'`;

describe('a rebuild', () => {
  let world: FeedWorld;
  let client: Client;
  let anna: Reader;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 30, ...NO_MARGIN });
    client = await world.writer();
    // More than a page of buyers.
    await world.database.query(
      'INSERT INTO deal_sets.buyer (id) SELECT gen_random_uuid() FROM generate_series(1, 120)',
    );
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    anna = world.unusedBuyer();
  });

  const single = (values: Partial<PriceCheck> = {}): PriceCheck =>
    priceCheck({
      buyerId: anna.id,
      dealershipId: world.dealership.id,
      listing: { year: 2025, trim: 'EX-L' },
      latestActivityAt: values.dealSetId === undefined ? AT : null,
      ...values,
    });
  /** A deal set of two rows, placed in the past. */
  async function makeSet(): Promise<{ set: string; member: string }> {
    const set = dealSet({ buyerId: anna.id, latestActivityAt: AT });
    const members = [single({ dealSetId: set.id, ...written(5) }), single({ dealSetId: set.id })];
    await insertHistory(world.database, [set, ...members]);
    return { set: set.id, member: members[0]!.id };
  }
  async function makeSingle(): Promise<string> {
    const made = single(written(5));
    await insertHistory(world.database, [made]);
    return made.id;
  }
  const run = (by = client): Promise<RebuildSummary> => rebuild(by);
  async function expectStoredAsDefined(): Promise<void> {
    const { stored, expected } = await modelRows(world.database.client);
    expect(stored).toEqual(expected);
  }
  const shownTrim = async (id: string): Promise<unknown> =>
    (
      await world.database.query('SELECT shown_trim FROM deal_sets.price_check WHERE id = $1', [id])
    )[0]?.['shown_trim'];
  const staleness: readonly (readonly [
    what: string,
    makeStale: (set: string, member: string) => string,
    trimAfter: string | null,
  ])[] = [
    ['was computed by other rules', (set) => staleRow(set), 'EX-L'],
    ['shows what other rules allowed', (_set, member) => staleListing(member), null],
    [
      'is missing in the feed',
      (set) => `DELETE FROM deal_sets.request_feed WHERE request_id = '${set}'`,
      'EX-L',
    ],
  ];

  it.each(staleness)(
    'stamps a request once that %s, and no other',
    async (_what, makeStale, trimAfter) => {
      const { set, member } = await makeSet();
      await makeSet();
      await makeSingle();
      const since = await world.latestWatermark(anna);
      await world.database.client.query(makeStale(set, member));
      expect((await run()).stamped).toBe(1);
      expect(await world.changedIdsSince(since, anna)).toEqual([set]);
      expect(await shownTrim(member)).toBe(trimAfter);
      await expectStoredAsDefined();
      const moved = await world.latestWatermark(anna);
      expect((await run()).stamped).toBe(0);
      expect(await world.changedIdsSince(moved, anna)).toEqual([]);
    },
  );

  it('moves exactly the requests that a changed rule shows differently', async () => {
    const touring = single({ listing: { year: 2025, trim: 'Touring' } });
    await insertHistory(world.database, [touring, single()]);
    const since = await world.latestWatermark(anna);
    const [was] = await world.database.query<{ text: string }>(
      `SELECT pg_get_functiondef('deal_sets.has_shape_of_car_words(text)'::regprocedure) AS text`,
    );
    await world.database.query(
      was!.text.replace('SELECT p.plain ~', `SELECT p_part <> 'Touring' AND p.plain ~`),
    );
    try {
      expect((await run()).stamped).toBe(1);
      expect(await world.changedIdsSince(since, anna)).toEqual([touring.id]);
      expect(await shownTrim(touring.id)).toBeNull();
      expect((await run()).stamped).toBe(0);
    } finally {
      await world.database.query(was!.text);
      await run();
    }
  });

  it('moves exactly the requests that showed the price of a different car, as rules before version 3 did', async () => {
    const set = dealSet({ buyerId: anna.id, latestActivityAt: AT });
    const differentCar = { ...written(5), answer: 'different_car' } as const;
    const inSet = single({ dealSetId: set.id, ...differentCar });
    const alone = single(differentCar);
    await insertHistory(world.database, [set, inSet, alone]);
    await makeSet();
    await makeSingle();
    const since = await world.latestWatermark(anna);
    await world.database.query(
      'UPDATE deal_sets.request_feed SET lowest_written_otd_cents = 5 WHERE request_id = ANY ($1)',
      [[set.id, alone.id]],
    );
    expect((await run()).stamped).toBe(2);
    expect(await world.changedIdsSince(since, anna)).toEqual([set.id, alone.id].sort());
    await expectStoredAsDefined();
  });

  it('shows nothing that was withheld', async () => {
    const { member } = await makeSet();
    await world.database.query('UPDATE deal_sets.price_check SET shown_trim = NULL WHERE id = $1', [
      member,
    ]);
    expect((await run()).stamped).toBe(0);
    expect(await shownTrim(member)).toBeNull();
  });

  it('removes requests from the feed that no longer exist', async () => {
    await makeSingle();
    await world.database.query(
      `INSERT INTO deal_sets.request_feed
       SELECT (jsonb_populate_record(f, jsonb_build_object('request_id', gen_random_uuid()))).*
       FROM deal_sets.request_feed f WHERE f.buyer_id = $1`,
      [anna.id],
    );
    expect((await run()).stamped).toBe(1);
    await expectStoredAsDefined();
  });

  it('is reported by /health/ready until it is done for every buyer', async () => {
    const service = await TestService.start({ database: world.database });
    const ready = async (): Promise<unknown> =>
      JSON.parse((await service.send('GET', '/health/ready', undefined)).text);
    try {
      expect(await ready()).toEqual({ status: 'ok' });
      await world.database.query('UPDATE deal_sets.schema_code SET needs_rebuild = true');
      await eventually(async () =>
        expect(await ready()).toEqual({ status: 'ok', pending: 'rebuild' }),
      );
      await rebuild(client, { buyerId: anna.id });
      const [code] = await world.database.query('SELECT needs_rebuild FROM deal_sets.schema_code');
      expect(code).toEqual({ needs_rebuild: true });
      await run();
      await eventually(async () => expect(await ready()).toEqual({ status: 'ok' }));
    } finally {
      await service.stop();
    }
  });

  /** Polls until it is stopped; calls `onEntry` for each entry that it receives. */
  function follow(since: string, onEntry: (entry: Entry) => void): () => Promise<void> {
    const over = new AbortController();
    const following = (async () => {
      for (let from = since; ;) {
        const isLast = over.signal.aborted;
        const page = await world.poll(from, anna);
        page.entries.forEach(onEntry);
        from = page.asOf;
        if (isLast && !page.hasMore) return;
      }
    })();
    return () => {
      over.abort();
      return following;
    };
  }

  it('skips nothing for a client that polls while writers change the same requests', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.unshift(await makeSingle());
    const since = await world.latestWatermark(anna);
    for (const id of ids) await world.database.query(staleRow(id));
    const seen = new Map<string, number | null>();
    const end = follow(since, (entry) => seen.set(idOf(entry), entry.lowestWrittenOtdCents));
    const writer = await world.writer();
    const write = async (): Promise<void> => {
      for (const [price, id] of ids.entries()) await writer.query(setPrice(id, price));
    };
    await Promise.all([run(), write()]);
    await end();
    expect(seen).toEqual(new Map(ids.map((id, price) => [id, price])));
  });

  /**
   * A rebuild and a writer change the same request: one waits, and the stored result contains both
   * changes.
   */
  describe('beside a writer of the same request', () => {
    let writer: Client;

    beforeAll(async () => {
      writer = await world.writer();
    });
    afterEach(() => world.rollback());

    /** Resolves once the statement that this connection runs waits for a lock. */
    async function isWaiting(by: Client): Promise<void> {
      // pg sets this property when it connects; its types omit it.
      const { processID } = by as Client & { readonly processID: number };
      await eventually(async () => {
        const waiting = await world.database.query(
          `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`,
          [processID],
        );
        expect(waiting).toHaveLength(1);
      });
    }

    describe.each(staleness.slice(0, 2))('that %s', (_what, makeStale) => {
      let rebuilding: string;
      let writing: string;
      /** Times of the request at which a polling client receives it with the writer's price. */
      let times: Set<string>;
      let expectOneStamp: () => Promise<void>;

      beforeEach(async () => {
        const { set, member } = await makeSet();
        await world.database.client.query(makeStale(set, member));
        rebuilding = `BEGIN; SELECT * FROM deal_sets.rebuild_requests('${anna.id}', '{${set}}', NULL)`;
        // Changes the price and the texts of a listing.
        writing = `BEGIN; UPDATE deal_sets.price_check SET listing_trim = 'Touring', answer = 'same_car',
          otd_cents = ${PRICE}, written_at = now() WHERE id = '${member}'`;
        times = new Set();
        const end = follow(await world.latestWatermark(anna), (entry) => {
          const isSet = idOf(entry) === set && entry.lowestWrittenOtdCents === PRICE;
          if (isSet) times.add(entry.latestActivityAt!);
        });
        expectOneStamp = async () => {
          await end();
          expect(times.size).toBe(1);
          expect(await shownTrim(member)).toBe('Touring');
          await expectStoredAsDefined();
        };
      });

      it('waits for a writer that was first', async () => {
        await writer.query(writing);
        const rebuilt = client.query(rebuilding);
        await isWaiting(client);
        await writer.query('COMMIT');
        await rebuilt;
        // The client sees the change between the two commits, so a stamp of the rebuild would be a
        // second one.
        await eventually(() => expect(times.size).toBe(1));
        await client.query('COMMIT');
        await expectOneStamp();
      });

      it('makes a later writer wait', async () => {
        await client.query(rebuilding);
        const changed = writer.query(writing);
        await isWaiting(writer);
        await client.query('COMMIT');
        await changed;
        await writer.query('COMMIT');
        await expectOneStamp();
      });
    });

    it('skips what another rebuild has done', async () => {
      const id = await makeSingle();
      await world.database.query(staleRow(id));
      const summaries = await Promise.all([run(), run(await world.writer())]);
      expect(summaries[0].stamped + summaries[1].stamped).toBe(1);
    });
  });
});
