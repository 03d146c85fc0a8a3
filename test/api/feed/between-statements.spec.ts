import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import {
  EPOCH,
  FeedWorld,
  idOf,
  idsOf,
  insertSingle,
  setPrice,
  type FeedBuyer,
  type Poll,
} from './feed-world.js';
import { StatementGate } from './statement-gate.js';

/** The two statements of a poll, whichever comes first. */
const STATEMENTS = ['feed_probe', 'changed_since'];

/** A poll is two statements. Whatever happens between them, the next poll must make up for it. */
describe('a change between the two statements of a poll', () => {
  let database: TestDatabase;
  let gate: StatementGate;
  let world: FeedWorld;
  let anna: FeedBuyer;
  let writer: Client;
  let first: string;
  let second: string;
  let set: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    gate = await StatementGate.before(database.url);
    world = await FeedWorld.start({
      buyers: 30,
      database,
      env: { DATABASE_URL: gate.url, FEED_MARGIN_MS: '0' },
    });
    writer = await world.writer();
  });
  afterAll(async () => {
    await world.stop();
    await gate.close();
    await database.drop();
  });
  beforeEach(async () => {
    anna = world.next();
    const made = await world.history(anna);
    [first, second] = made.singles as [string, string];
    [set] = made.sets as [string];
  });
  afterEach(async () => {
    gate.release();
    await writer.query('ROLLBACK');
  });

  /** Polls, does something between the statements, and returns what this poll and the next ones bring. */
  async function pollAround(act: () => Promise<unknown>, since: string): Promise<Poll[]> {
    const held = gate.holdNth(2, STATEMENTS);
    const poll = world.poll(since, anna);
    await held;
    await act();
    gate.release();
    const page = await poll;
    return [page, ...(await world.drain(page.asOf, anna))];
  }

  const caughtUp = async (): Promise<string> => (await world.drain(EPOCH, anna)).at(-1)!.asOf;

  it('is delivered when a whole transaction fits between them', async () => {
    const pages = await pollAround(() => writer.query(setPrice(first, 1)), await caughtUp());
    expect(idsOf(pages)).toEqual([first]);
  });

  it('is delivered when it was stamped before them and is committed between them', async () => {
    const since = await caughtUp();
    await writer.query('BEGIN');
    await writer.query(setPrice(first, 2));
    await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
    await sleep(20);
    expect(idsOf(await pollAround(() => writer.query('COMMIT'), since))).toEqual([first]);
  });

  it('is delivered when it was written before them and is committed between them', async () => {
    const since = await caughtUp();
    await writer.query('BEGIN');
    await writer.query(setPrice(first, 3));
    await sleep(20);
    expect(idsOf(await pollAround(() => writer.query('COMMIT'), since))).toEqual([first]);
  });

  it('is delivered when it is stamped between them and committed after the poll', async () => {
    const since = await caughtUp();
    await writer.query('BEGIN');
    const pages = await pollAround(async () => {
      await writer.query(setPrice(first, 4));
      await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
    }, since);
    await writer.query('COMMIT');
    expect(idsOf([...pages, ...(await world.drain(pages.at(-1)!.asOf, anna))])).toEqual([first]);
  });

  it('is delivered when a writer of many buyers did it', async () => {
    const pages = await pollAround(
      async () => {
        await writer.query('BEGIN');
        await writer.query(`UPDATE deal_set SET dealers_found = coalesce(dealers_found, 0) + 1`);
        await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
        await writer.query('COMMIT');
      },
      await caughtUp(),
    );
    expect(idsOf(pages)).toEqual([set]);
  });

  it('is delivered when a writer of many buyers is at work throughout', async () => {
    const since = await caughtUp();
    await writer.query('BEGIN');
    await writer.query(`UPDATE deal_set SET dealers_found = coalesce(dealers_found, 0) + 1`);
    await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
    const pages = await pollAround(() => sleep(20), since);
    await writer.query('COMMIT');
    expect(idsOf([...pages, ...(await world.drain(pages.at(-1)!.asOf, anna))])).toEqual([set]);
  });

  it('is delivered when the newest request is deleted and others change', async () => {
    await writer.query(setPrice(second, 5));
    const since = await caughtUp();
    const [fresh, insert] = insertSingle(world, anna);
    const pages = await pollAround(async () => {
      await writer.query(`DELETE FROM price_check WHERE id = '${second}'`);
      await writer.query(insert);
      await writer.query(setPrice(first, 6));
    }, since);
    expect(idsOf(pages)).toEqual(expect.arrayContaining([first, fresh]));
  });

  it('is delivered within a page that is not the last', async () => {
    const { singles } = await world.history(anna, 60, 0);
    await writer.query(
      `UPDATE price_check SET otd_cents = 1, written_at = now() WHERE id = ANY ($1)`,
      [singles.slice(0, 30)],
    );
    const pages = await pollAround(
      () =>
        writer.query(
          `UPDATE price_check SET otd_cents = 2, written_at = now() WHERE id = ANY ($1)`,
          [singles.slice(15, 45)],
        ),
      EPOCH,
    );
    expect(idsOf(pages)).toEqual([...singles, first, second, set].sort());
    const seen = pages.flatMap((page) => page.entries);
    for (const id of singles.slice(15, 45)) {
      expect(seen.filter((entry) => entry.id === id).at(-1)!.lowestWrittenOtdCents).toBe(2);
    }
  });
});

/** Within the clock's own millisecond only the one that Service-As-Of stays behind keeps entries. */
describe('changes and polls as fast as they can be', () => {
  let world: FeedWorld;
  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 1, env: { FEED_MARGIN_MS: '0' } });
  });
  afterAll(() => world.stop());

  it('never lose a change within one millisecond', async () => {
    const { singles } = await world.history(world.anna, 20, 0);
    const writer = await world.writer();
    const over = new AbortController();
    const written = new Map<string, number>();
    const writing = (async () => {
      for (let price = 1; !over.signal.aborted; price++) {
        const id = singles[price % singles.length]!;
        await writer.query(setPrice(id, price));
        written.set(id, price);
      }
    })();
    const missed: string[] = [];
    const known = new Map<string, number>();
    let since = EPOCH;
    const follow = async (): Promise<void> => {
      const page = await world.poll(since);
      since = page.asOf;
      for (const entry of page.entries) known.set(idOf(entry), entry.lowestWrittenOtdCents ?? 0);
    };
    for (let i = 0; i < 250; i++) {
      const before = new Map(written);
      await follow();
      // What was committed before a poll began is known after it.
      for (const [id, price] of before) if ((known.get(id) ?? 0) < price) missed.push(id);
    }
    over.abort();
    await writing;
    expect(missed).toEqual([]);
  });
});
