import { Client } from 'pg';
import {
  EPOCH,
  FeedWorld,
  idOf,
  idsOf,
  insertSingle,
  NO_MARGIN,
  pastStamp,
  setPrice,
  STAMP,
  type Poll,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

/**
 * Holds the next statement of a poll, and those that are sent with it, until the previous one and
 * then `act` have ended.
 */
function beforeStatement(place: 2 | 3 | 4, act: () => Promise<unknown>): void {
  const query = Reflect.get(Client.prototype, 'query') as (...values: unknown[]) => unknown;
  let count = 0;
  let previous: Promise<unknown> = Promise.resolve();
  let actsFirst: Promise<unknown> | undefined;
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...values: unknown[]
  ) {
    const run = (): unknown => query.apply(this, values);
    const { name = '' } = values[0] as { name?: string };
    if (!/feed_probe|feed_newest|changed_since/.test(name)) return run();
    count += 1;
    if (count < place) return (previous = run() as Promise<unknown>);
    actsFirst ??= previous.then(act).finally(() => jest.restoreAllMocks());
    return actsFirst.then(run);
  });
}

/**
 * A poll consists of a probe, a look for anything new, and a page if there is something, and repeats
 * them when the probe met a writer. Whatever happens between the statements, the next poll must
 * deliver it.
 */
describe('a change between the statements of a poll', () => {
  let world: FeedWorld;
  let anna: Reader;
  let writer: Client;
  let first: string;
  let second: string;
  let set: string;

  beforeAll(async () => {
    world = await FeedWorld.start(NO_MARGIN);
    writer = await world.writer();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    anna = world.unusedBuyer();
    const made = await world.loadHistory(anna);
    [first, second] = made.singles as [string, string];
    [set] = made.sets as [string];
  });
  afterEach(() => world.rollback());

  const write = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await writer.query(statement);
  };

  /**
   * Polls, acts between the statements and after the poll, and returns what this poll and the next
   * one deliver.
   */
  async function pollAround(
    since: string,
    between: () => Promise<unknown>,
    after: readonly string[] = [],
    place: 2 | 3 | 4 = 2,
  ): Promise<Poll[]> {
    const done = jest.fn(between);
    beforeStatement(place, done);
    const page = await world.poll(since, anna);
    expect(done).toHaveBeenCalledTimes(1);
    await write(after);
    return [page, ...(await world.drain(page.asOf, anna))];
  }

  const OF_MANY = 'UPDATE deal_sets.deal_set SET dealers_found = coalesce(dealers_found, 0) + 1';
  const price = (): string => setPrice(first, 1);

  const CHANGES: [string, before: () => string[], between: () => string[], after: string[]][] = [
    ['when a whole transaction fits between them', () => [], () => [price()], []],
    [
      'when it was stamped before them and is committed between them',
      () => ['BEGIN', price(), STAMP],
      () => ['COMMIT'],
      [],
    ],
    [
      'when it was written before them and is committed between them',
      () => ['BEGIN', price()],
      () => ['COMMIT'],
      [],
    ],
    [
      'when it is stamped between them and committed after the poll',
      () => ['BEGIN'],
      () => [price(), STAMP],
      ['COMMIT'],
    ],
    [
      'when a writer of many buyers made the change',
      () => [],
      () => ['BEGIN', OF_MANY, price(), STAMP, 'COMMIT'],
      [],
    ],
    [
      'when a writer of many buyers is active throughout',
      () => ['BEGIN', OF_MANY, price()],
      () => [],
      ['COMMIT'],
    ],
  ];

  it.each(CHANGES)('is delivered %s', async (what, before, between, after) => {
    const since = await world.latestWatermark(anna);
    await write(before());
    await pastStamp();
    const pages = await pollAround(since, () => write(between()), after);
    expect(idsOf(pages)).toEqual((what.includes('many') ? [first, set] : [first]).sort());
  });

  it.each(CHANGES)(
    'is delivered %s, which are the look and its page',
    async (what, before, between, after) => {
      const since = await world.latestWatermark(anna);
      await write([setPrice(second, 5), ...before()]);
      await pastStamp();
      const pages = await pollAround(since, () => write(between()), after, 3);
      const changed = what.includes('many') ? [first, second, set] : [first, second];
      expect(idsOf(pages)).toEqual(changed.sort());
    },
  );

  it('is delivered when the only entry of the page is deleted before it is read', async () => {
    const since = await world.latestWatermark(anna);
    await write([setPrice(second, 5)]);
    const deletion = `DELETE FROM deal_sets.price_check WHERE id = '${second}'`;
    const [page, ...rest] = await pollAround(since, () => write([deletion]), [price()], 3);
    expect(page).toMatchObject({ entries: [], hasMore: false });
    expect(idsOf(rest)).toEqual([first]);
  });

  describe('that is repeated because its probe met a writer', () => {
    let since: string;
    beforeEach(async () => {
      since = await world.latestWatermark(anna);
      await write(['BEGIN', price(), STAMP]);
      await pastStamp();
    });

    it.each([
      ['before the second probe', 3],
      ['between the second probe and its look', 4],
    ] as const)('is delivered at once when it is committed %s', async (_what, place) => {
      const [page, ...rest] = await pollAround(since, () => write(['COMMIT']), [], place);
      expect(idsOf([page!])).toEqual([first]);
      expect(idsOf([page!, ...rest])).toEqual([first]);
      const isPast = Date.parse(page!.asOf) >= Date.parse(page!.entries[0]!.latestActivityAt!);
      expect(isPast).toBe(true);
    });

    it('is delivered when another writer follows between the second probe and its look', async () => {
      const between = (): Promise<void> => write(['COMMIT', 'BEGIN', setPrice(second, 2), STAMP]);
      const pages = await pollAround(since, between, ['COMMIT'], 4);
      expect(idsOf(pages)).toEqual([first, second].sort());
    });

    it('causes no repetition when more remains', async () => {
      await write(['ROLLBACK']);
      await world.loadHistory(anna, 120, 0);
      await writer.query(setPrice(second, 2));
      await write(['BEGIN', price(), STAMP]);
      const last = jest.fn(() => Promise.resolve());
      beforeStatement(4, last);
      expect((await world.poll(EPOCH, anna)).hasMore).toBe(true);
      expect(last).not.toHaveBeenCalled();
      jest.restoreAllMocks();
    });
  });

  it('is delivered when the newest request is deleted and others change', async () => {
    await writer.query(setPrice(second, 5));
    const since = await world.latestWatermark(anna);
    const [fresh, insert] = insertSingle(world, anna);
    const pages = await pollAround(since, () =>
      write([
        `DELETE FROM deal_sets.price_check WHERE id = '${second}'`,
        insert,
        setPrice(first, 6),
      ]),
    );
    expect(idsOf(pages)).toEqual(expect.arrayContaining([first, fresh]));
  });

  it('is delivered within a page that is not the last', async () => {
    const { singles } = await world.loadHistory(anna, 150, 0);
    const priced = (ids: string[], cents: number): string =>
      `UPDATE deal_sets.price_check SET otd_cents = ${cents}, written_at = now() WHERE id = ANY ('{${ids.join()}}')`;
    await writer.query(priced(singles.slice(0, 40), 1));
    const changed = singles.slice(20, 60);
    const pages = await pollAround(EPOCH, () => write([priced(changed, 2)]));
    expect(idsOf(pages)).toEqual([...singles, first, second, set].sort());
    const seen = pages.flatMap((page) => page.entries);
    for (const id of changed) {
      expect(seen.filter((entry) => entry.id === id).at(-1)!.lowestWrittenOtdCents).toBe(2);
    }
  });

  /**
   * Within one millisecond of the clock, only the millisecond that Service-As-Of stays behind
   * prevents lost entries.
   */
  it('is never lost when changes and polls follow each other within a millisecond', async () => {
    const { singles } = await world.loadHistory(anna, 20, 0);
    const over = new AbortController();
    const written = new Map<string, number>();
    const writing = (async () => {
      for (let cents = 1; !over.signal.aborted; cents++) {
        const id = singles[cents % singles.length]!;
        await writer.query(setPrice(id, cents));
        written.set(id, cents);
      }
    })();
    const missed: string[] = [];
    const known = new Map<string, number>();
    let since = EPOCH;
    for (let i = 0; i < 120; i++) {
      const before = new Map(written);
      const page = await world.poll(since, anna);
      since = page.asOf;
      for (const entry of page.entries) known.set(idOf(entry), entry.lowestWrittenOtdCents ?? 0);
      // The client has everything that was committed before a poll began.
      for (const [id, cents] of before) if ((known.get(id) ?? 0) < cents) missed.push(id);
    }
    over.abort();
    await writing;
    expect(missed).toEqual([]);
  });
});
