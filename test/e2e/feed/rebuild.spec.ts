import { Client } from 'pg';
import {
  rebuild,
  type RebuildOptions,
  type RebuildSummary,
} from '../../../src/database/rebuild.js';
import { dealSet, draft, load, priceCheck, question, written } from '../../builders/index.js';
import { EPOCH, FeedWorld, idsOf, setPrice, type FeedBuyer } from './feed-world.js';

const AT = '2026-02-01T00:00:00Z';
const LONG_AGO = '2026-01-20T00:00:00Z';

describe('a rebuild', () => {
  let world: FeedWorld;
  let client: Client;
  let anna: FeedBuyer;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 30, env: { FEED_MARGIN_MS: '0' } });
    client = await world.writer();
    // Lets a test write what otherwise only triggers may.
    await world.database.query(`
      CREATE TABLE stale (price_check_id uuid, trim text);
      CREATE FUNCTION make_stale() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE price_check SET shown_trim = NEW.trim WHERE id = NEW.price_check_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER make_stale AFTER INSERT ON stale FOR EACH ROW EXECUTE FUNCTION make_stale()`);
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    anna = world.next();
  });

  type Row = Partial<Parameters<typeof priceCheck>[0]>;
  /** A deal set with these rows, or a single request, placed in the past. */
  async function set(rows: readonly Row[], given: object = {}): Promise<string> {
    const made = dealSet({ buyerId: anna.id, latestActivityAt: AT, ...given });
    const members = rows.map((row) =>
      priceCheck({ buyerId: anna.id, dealershipId: world.shop.id, dealSetId: made.id, ...row }),
    );
    await load(world.database, [made, ...members], { isBackfill: true });
    return made.id;
  }
  async function single(row: Row): Promise<string> {
    const made = priceCheck({
      buyerId: anna.id,
      dealershipId: world.shop.id,
      latestActivityAt: AT,
      ...row,
    });
    await load(world.database, [made], { isBackfill: true });
    return made.id;
  }
  const memberOf = async (id: string): Promise<string> =>
    (
      await world.database.query<{ id: string }>(
        'SELECT id FROM price_check WHERE deal_set_id = $1',
        [id],
      )
    )[0]!.id;

  /** The buyer's requests are as the version before left them. */
  async function before(): Promise<string> {
    await world.database.query(
      'UPDATE request_feed SET rules_revision = CASE buyer_id WHEN $1 THEN 0 ELSE 1 END',
      [anna.id],
    );
    await world.database.query('UPDATE rules_in_use SET revision = 0');
    return (await world.drain(EPOCH, anna)).at(-1)!.asOf;
  }
  const run = (options: RebuildOptions = {}): Promise<RebuildSummary> => rebuild(client, options);

  describe('stamps once', () => {
    const ended = { ended: 'closed_with_price', endedAt: LONG_AGO } as const;
    const cases: readonly (readonly [string, () => Promise<string>])[] = [
      ['a set whose only price is on an ended row', () => set([{ ...written(5), ...ended }])],
      [
        'a set whose only price is on an archived row',
        () => set([{ ...written(5), archivedAt: AT }]),
      ],
      [
        'a set whose only price is for another car',
        () => set([{ ...written(5), answer: 'different_car' }, {}]),
      ],
      [
        'an ended set with an ended price',
        () => set([{ ...written(5), ...ended }], { endedAt: AT }),
      ],
      ['a set in which a dealership has finished', () => set([{ finishedAt: LONG_AGO }])],
      [
        'a set with a price, one that waits, and one that has finished',
        () => set([written(5), {}, { ...written(6), finishedAt: LONG_AGO }]),
      ],
      [
        'an ended set with an open question',
        async () => {
          const id = await set([{}], { endedAt: AT });
          await load(world.database, [question({ priceCheckId: await memberOf(id) })], {
            isBackfill: true,
          });
          return id;
        },
      ],
      [
        'an ended set with an unresolved draft',
        async () => {
          const id = await set([{}], { endedAt: AT });
          await load(world.database, [draft({ priceCheckId: await memberOf(id) })], {
            isBackfill: true,
          });
          return id;
        },
      ],
      [
        'a set with a row that closed with a price that is not in writing',
        async () => {
          const id = await set([{ ended: 'no_price', endedAt: LONG_AGO }]);
          await world.database.client.query(
            `BEGIN; SELECT feed_enter_history();
             UPDATE price_check SET ended = 'closed_with_price' WHERE deal_set_id = '${id}'; COMMIT`,
          );
          return id;
        },
      ],
      ['a single that finished without a price', () => single({ finishedAt: LONG_AGO })],
    ];

    it.each(cases)('%s', async (_what, make) => {
      const id = await make();
      await set([written(5), {}]);
      const since = await before();
      expect((await run()).stamped).toBe(1);
      const pages = await world.drain(since, anna);
      expect(idsOf(pages)).toEqual([id]);
      expect(await run()).toEqual({ rebuilt: 0, stamped: 0 });
      expect(idsOf(await world.drain(pages.at(-1)!.asOf, anna))).toEqual([]);
    });
  });

  it('stamps nothing that reads as before', async () => {
    const ended = { ended: 'no_price', endedAt: LONG_AGO } as const;
    const open = await set([written(5), {}]);
    await load(world.database, [question({ priceCheckId: await memberOf(open) })], {
      isBackfill: true,
    });
    await set([]);
    await set([{}, ended]);
    await set([{ ...written(5), finishedAt: LONG_AGO }]);
    await set([
      { ...ended, finishedAt: LONG_AGO },
      { archivedAt: AT, finishedAt: LONG_AGO },
    ]);
    await set([{}, { finishedAt: LONG_AGO }], { endedAt: AT });
    await set([written(5), { ...written(4), ended: 'closed_with_price', endedAt: LONG_AGO }]);
    await single({});
    await single({ ...written(5), finishedAt: LONG_AGO });
    await single({ finishedAt: LONG_AGO, archivedAt: AT });
    await single({ finishedAt: LONG_AGO, ...ended });
    const since = await before();
    const { rebuilt, stamped } = await run();
    expect(stamped).toBe(0);
    expect(rebuilt).toBeGreaterThanOrEqual(11);
    expect(await world.poll(since, anna)).toMatchObject({ entries: [], hasMore: false });
    expect(await run()).toEqual({ rebuilt: 0, stamped: 0 });
  });

  it('cleans listings, and stamps those of which it changed something', async () => {
    const stale = await single({ listing: { year: 2025, trim: 'EX-L' } });
    const fresh = await single({ listing: { year: 2025, trim: 'EX-L' } });
    await world.database.query('INSERT INTO stale VALUES ($1, $2)', [stale, 'EX']);
    const since = await before();
    expect((await run()).stamped).toBe(1);
    expect(idsOf(await world.drain(since, anna))).toEqual([stale]);
    expect(
      await world.database.query(
        'SELECT DISTINCT shown_trim FROM price_check WHERE id = ANY ($1)',
        [[stale, fresh]],
      ),
    ).toEqual([{ shown_trim: 'EX-L' }]);
  });

  it('of listings goes through all requests again, and stamps only what differs', async () => {
    const stale = await single({ listing: { year: 2025, trim: 'EX-L' } });
    await run();
    await world.database.query('INSERT INTO stale VALUES ($1, $2)', [stale, 'EX']);
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    expect(await run()).toEqual({ rebuilt: 0, stamped: 0 });
    const all = await run({ isAll: true });
    expect(all.rebuilt).toBeGreaterThan(10);
    expect(all.stamped).toBe(1);
    expect(idsOf(await world.drain(since, anna))).toEqual([stale]);
    expect((await run({ isAll: true })).stamped).toBe(0);
  });

  it('goes on where one that was ended left off, in batches of one too', async () => {
    const ids = [await single({ finishedAt: LONG_AGO }), await single({ finishedAt: LONG_AGO })];
    const since = await before();
    const interrupted = run({
      batchSize: 1,
      onBatch: ({ stamped }) => {
        if (stamped === 1) throw new Error('ended');
      },
    });
    await expect(interrupted).rejects.toThrow('ended');
    expect(idsOf(await world.drain(since, anna))).toHaveLength(1);
    expect((await run({ batchSize: 1 })).stamped).toBe(1);
    expect(idsOf(await world.drain(since, anna))).toEqual(ids.sort());
  });

  it('leaves requests that are recorded after it began alone, and takes those from before', async () => {
    await before();
    const early = await single({ finishedAt: LONG_AGO });
    await run();
    const late = await single({ finishedAt: LONG_AGO });
    const revisions = await world.database.query(
      'SELECT request_id, rules_revision FROM request_feed WHERE buyer_id = $1 ORDER BY request_id = $2',
      [anna.id, late],
    );
    expect(revisions).toEqual([
      { request_id: early, rules_revision: 1 },
      { request_id: late, rules_revision: 1 },
    ]);
    expect(await run()).toEqual({ rebuilt: 0, stamped: 0 });
  });

  it('skips nothing of a poller while writers change the same requests', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await single({ finishedAt: LONG_AGO }));
    let since = await before();
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
    await Promise.all([run({ batchSize: 3 }), writers]);
    ended.abort();
    await poller;
    expect(seen).toEqual(new Map([...ids].reverse().map((id, price) => [id, price])));
  });
});
