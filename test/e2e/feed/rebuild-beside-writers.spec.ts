import type { Client } from 'pg';
import { rebuild, type RebuildSummary } from '../../../src/database/rebuild.js';
import { dealSet, load, priceCheck } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { EPOCH, FeedWorld, idOf, setPrice, type FeedBuyer } from './feed-world.js';
import { modelRows } from './read-model-rows.js';

const AT = '2026-02-01T00:00:00Z';
const PRICE = 4_711;
const NIL = '00000000-0000-0000-0000-000000000000';

type PriceCheck = ReturnType<typeof priceCheck>;

/** A change of a writer's: the price and the words of a listing. */
const change = (id: string): string =>
  `UPDATE price_check SET listing_trim = 'Touring', answer = 'same_car', otd_cents = ${PRICE}, written_at = now()
   WHERE id = '${id}'`;

/**
 * A batch of the rebuild and a writer meet at a request. One of them waits, and what is stored in the end says both:
 * what the writer committed, by the rules of this version.
 */
describe('a rebuild beside a writer of the same request', () => {
  let world: FeedWorld;
  let anna: FeedBuyer;
  let writer: Client;
  let rebuilder: Client;

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 20, env: { FEED_MARGIN_MS: '0' } });
    [writer, rebuilder] = [await world.writer(), await world.writer()];
    // Lets a test write what otherwise only triggers may.
    await world.database.query(`
      CREATE TABLE stale (price_check_id uuid);
      CREATE FUNCTION make_stale() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE price_check SET shown_trim = 'EX' WHERE id = NEW.price_check_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER make_stale AFTER INSERT ON stale FOR EACH ROW EXECUTE FUNCTION make_stale()`);
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    anna = world.next();
  });
  afterEach(async () => {
    await writer.query('ROLLBACK');
    await rebuilder.query('ROLLBACK');
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
    const members = [0, 1].map(() => single({ dealSetId: set.id }));
    await load(world.database, [set, ...members], { isBackfill: true });
    return { set: set.id, member: members[0]!.id };
  }

  const store = (id: string, values: string): Promise<unknown> =>
    world.database.query(`UPDATE request_feed SET ${values} WHERE request_id = $1`, [id]);
  const staleness: readonly (readonly [
    string,
    (set: string, member: string) => Promise<unknown>,
  ])[] = [
    ['is not computed yet', (set) => store(set, 'requested_at = NULL, written = NULL')],
    ['was computed by other rules', (set) => store(set, 'written = 7')],
    [
      'has a listing that was cleaned by other rules',
      (_set, member) => world.database.query('INSERT INTO stale VALUES ($1)', [member]),
    ],
  ];
  const run = (client = rebuilder, batchSize?: number): Promise<RebuildSummary> =>
    rebuild(client, { isAll: true, ...(batchSize === undefined ? {} : { batchSize }) });

  const caughtUp = async (): Promise<string> => (await world.drain(EPOCH, anna)).at(-1)!.asOf;
  /** Times of a request under which a follower is given it with the writer's price. */
  function follow(id: string, since: string): () => Promise<string[]> {
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
    return async () => {
      over.abort();
      await following;
      return [...times];
    };
  }

  const pidOf = async (client: Client): Promise<number> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
  /** Waits until these wait for a lock. */
  async function areWaiting(pids: readonly number[]): Promise<void> {
    await eventually(async () => {
      const waiting = await world.database.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1) AND wait_event_type = 'Lock' ORDER BY pid`,
        [pids],
      );
      expect(waiting.map(({ pid }) => pid)).toEqual([...pids].sort((a, b) => a - b));
    }, 20_000);
  }
  async function expectStoredAsDefined(): Promise<void> {
    const { stored, expected } = await modelRows(world.database.client);
    expect(stored).toEqual(expected);
  }
  const shownTrim = async (id: string): Promise<unknown> =>
    (await world.database.query('SELECT shown_trim FROM price_check WHERE id = $1', [id]))[0]?.[
      'shown_trim'
    ];

  describe.each(staleness)('that %s', (_what, makeStale) => {
    it('waits for the one who was first', async () => {
      const { set, member } = await makeSet();
      await makeStale(set, member);
      const sightings = follow(set, await caughtUp());
      await writer.query('BEGIN');
      await writer.query(change(member));
      const pid = await pidOf(rebuilder);
      const rebuilt = run();
      await areWaiting([pid]);
      await writer.query('COMMIT');
      await rebuilt;
      expect(await sightings()).toHaveLength(1);
      expect(await shownTrim(member)).toBe('Touring');
      await expectStoredAsDefined();
    });

    it('lets one who comes later wait', async () => {
      const { set, member } = await makeSet();
      await makeStale(set, member);
      const sightings = follow(set, await caughtUp());
      await rebuilder.query('BEGIN');
      const { rows } = await rebuilder.query(
        `SELECT * FROM rebuild_requests('${NIL}', '${NIL}', '${NIL}', '', 10000, true)`,
      );
      expect(rows).toHaveLength(1);
      const pid = await pidOf(writer);
      const changed = writer.query(change(member));
      await areWaiting([pid]);
      await rebuilder.query('COMMIT');
      await changed;
      expect(await sightings()).toHaveLength(1);
      expect(await shownTrim(member)).toBe('Touring');
      await expectStoredAsDefined();
    });
  });

  it('keeps what another commits while the batch waits for the first', async () => {
    const checks = [single(), single()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const [first, second] = checks.map(({ id }) => id) as [string, string];
    await load(world.database, checks, { isBackfill: true });
    for (const id of [first, second]) await store(id, 'requested_at = NULL');
    const sightings = follow(second, await caughtUp());
    await writer.query('BEGIN');
    await writer.query(change(first));
    const pid = await pidOf(rebuilder);
    const rebuilt = run();
    await areWaiting([pid]);
    await (await world.writer()).query(change(second));
    await writer.query('COMMIT');
    await rebuilt;
    expect(await sightings()).toHaveLength(1);
    await expectStoredAsDefined();
  });

  it('waits for the writer of a newer request that has the id of one in the batch', async () => {
    const { set } = await makeSet();
    await store(set, 'rules_revision = 0');
    await load(world.database, [single({ id: set })], { isBackfill: true });
    await world.database.query('INSERT INTO stale VALUES ($1)', [set]);
    await writer.query('BEGIN');
    await writer.query(change(set));
    const pid = await pidOf(rebuilder);
    const rebuilt = rebuild(rebuilder);
    await areWaiting([pid]);
    await writer.query('COMMIT');
    expect(await rebuilt).toMatchObject({ rebuilt: 1 });
    expect(await shownTrim(set)).toBe('Touring');
    await expectStoredAsDefined();
  });

  it('and beside another rebuild leaves to that one what it has done', async () => {
    const checks = Array.from({ length: 6 }, () => single()).sort((a, b) => (a.id < b.id ? -1 : 1));
    await load(world.database, checks, { isBackfill: true });
    await world.database.query('UPDATE request_feed SET rules_revision = 0 WHERE buyer_id = $1', [
      anna.id,
    ]);
    await world.database.query('UPDATE rules_in_use SET revision = 0');
    const clients = [rebuilder, await world.writer()];
    const pids = await Promise.all(clients.map(pidOf));
    await writer.query('BEGIN');
    await writer.query(setPrice(checks[0]!.id, PRICE));
    const rebuilds = clients.map((client) => rebuild(client, { batchSize: 2 }));
    await areWaiting(pids);
    await writer.query('COMMIT');
    const summaries = await Promise.all(rebuilds);
    expect(summaries[0]!.rebuilt + summaries[1]!.rebuilt).toBe(checks.length);
  });
});
