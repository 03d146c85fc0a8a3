import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import {
  closed,
  dealSet,
  insertHistory,
  load,
  priceCheck,
  reply,
  written,
} from '../../builders/index.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import {
  EPOCH,
  FeedWorld,
  idOf,
  insertReply,
  insertSingle,
  keyOf,
  NO_MARGIN,
  pastStamp,
  setPrice,
  STAMP,
  type Entry,
} from '../../setup/feed-world.js';
import type { Reader } from '../../setup/world.js';

const EARLIER = '2026-02-01T00:00:00Z';
const LATER = '2026-03-01T00:00:00Z';
const COULD_NOT_CHECK = { status: 'could_not_check' };

let world: FeedWorld;
beforeAll(async () => {
  world = await FeedWorld.start({
    changesGranted: true,
    env: { ...NO_MARGIN.env, DATABASE_POOL_SIZE: '2' },
  });
});
afterAll(() => world.stop());
afterEach(() => world.rollback());

type Changes = NonNullable<Entry['changes']>;

/** The changes of the entries of an assistant's poll, by id. */
async function changesSince(since: string, reader: Reader): Promise<Record<string, Changes>> {
  const { entries } = await world.poll(since, reader, 'assistant');
  return Object.fromEntries(entries.map((entry) => [idOf(entry), entry.changes!]));
}

describe('changes', () => {
  let anna: Reader;
  let set: string;
  let single: string;
  let ended: string;
  let endedSet: string;

  beforeAll(async () => {
    anna = world.unusedBuyer();
    const mine = { buyerId: anna.id, latestActivityAt: LATER };
    const keys = { ...mine, dealershipId: world.dealership.id };
    const [open, over] = [dealSet(mine), dealSet({ ...mine, endedAt: LATER })];
    const ofSet = { ...keys, latestActivityAt: null };
    const member = priceCheck({ ...ofSet, dealSetId: open.id });
    const priced = priceCheck({ ...keys, ...written(900, EARLIER) });
    const silent = priceCheck({ ...keys, ended: 'no_price', endedAt: EARLIER });
    const sold = { ...written(800, EARLIER), ended: 'sold', endedAt: EARLIER } as const;
    const replies = [
      reply({ priceCheckId: member.id, arrivedAt: '2026-02-10T00:00:00Z' }),
      reply({ priceCheckId: member.id, arrivedAt: '2026-02-12T10:00:00.5+02:00' }),
      reply({ priceCheckId: member.id, arrivedAt: '2026-02-11T00:00:00Z' }),
      reply({ priceCheckId: priced.id, arrivedAt: '2026-02-10T00:00:00Z' }),
      reply({ priceCheckId: member.id, arrivedAt: '2999-01-01T00:00:00Z' }),
    ];
    const records = [open, over, member, priced, silent, ...replies];
    await load(
      world.database,
      closed([...records, priceCheck({ ...ofSet, dealSetId: over.id, ...sold })]),
      {
        isBackfill: true,
      },
    );
    [set, single, ended, endedSet] = [open.id, priced.id, silent.id, over.id];
  });

  /** A reply that was received in the future was not readable before it was loaded. */
  const loadedAt: unknown = expect.not.stringMatching(/^2999/);
  const none = { status: 'none' };

  it('come with every entry of an assistant whose buyer granted them', async () => {
    const repliesOfSet = { status: 'new', count: 4, latestAt: loadedAt };
    const repliesOfSingle = { status: 'new', count: 1, latestAt: '2026-02-10T00:00:00.000Z' };
    expect(await changesSince(EPOCH, anna)).toEqual({
      [set]: { hasWrittenPrice: false, newReplies: repliesOfSet, ended: false },
      [single]: { hasWrittenPrice: true, newReplies: repliesOfSingle, ended: false },
      [ended]: { hasWrittenPrice: false, newReplies: none, ended: true },
      [endedSet]: { hasWrittenPrice: true, newReplies: none, ended: true },
    });
    expect(await changesSince('2026-04-01T00:00:00Z', anna)).toEqual({});
  });

  it('count the replies of a backfill by their receipt, strictly, or by its loading if that is earlier', async () => {
    const after = await changesSince('2026-02-10T00:00:00Z', anna);
    expect(after[set]!.newReplies).toMatchObject({ status: 'new', count: 3 });
    expect(after[single]!.newReplies).toEqual(none);
    const later = await changesSince('2026-02-20T00:00:00Z', anna);
    expect(later[set]!.newReplies).toEqual({ status: 'new', count: 1, latestAt: loadedAt });
    // States are shown, however old.
    expect(later[single]).toMatchObject({ hasWrittenPrice: true });
    expect(later[ended]).toMatchObject({ ended: true });
  });

  describe('while replies cannot be looked up', () => {
    let locker: Client;
    beforeEach(async () => {
      locker = await world.writer();
      await locker.query('BEGIN; LOCK TABLE deal_sets.reply IN ACCESS EXCLUSIVE MODE');
    });

    it('report could_not_check and keep every entry, within the deadline', async () => {
      const page = await world.poll(EPOCH, anna, 'assistant');
      expect(page.hasMore).toBe(false);
      const states = [
        { hasWrittenPrice: false, ended: false },
        { hasWrittenPrice: true, ended: false },
        { hasWrittenPrice: false, ended: true },
        { hasWrittenPrice: true, ended: true },
      ];
      const expected = states.map((state) => ({ ...state, newReplies: COULD_NOT_CHECK }));
      const changes = page.entries.map((entry) => entry.changes);
      expect(changes).toHaveLength(4);
      expect(changes).toEqual(expect.arrayContaining(expected));
    });

    it('come again with their replies, once replies can be looked up', async () => {
      await locker.query('ROLLBACK');
      const bea = world.unusedBuyer();
      const { singles } = await world.loadHistory(bea, 1, 0);
      const since = await world.latestWatermark(bea, 'assistant');
      await locker.query(insertReply(bea.id, singles[0]!));
      await locker.query('BEGIN; LOCK TABLE deal_sets.reply IN ACCESS EXCLUSIVE MODE');
      const unchecked = await world.poll(since, bea, 'assistant');
      expect(unchecked.entries).toMatchObject([{ changes: { newReplies: COULD_NOT_CHECK } }]);
      expect(unchecked).toMatchObject({ asOf: since, hasMore: false });
      await locker.query('ROLLBACK');
      const checked = await world.poll(unchecked.asOf, bea, 'assistant');
      expect(checked.entries).toMatchObject([{ changes: { newReplies: { count: 1 } } }]);
      expect(await world.drain(checked.asOf, bea, 'assistant')).toMatchObject([{ entries: [] }]);
    });

    it('repeat since in UTC and whole milliseconds, and advance while more remains', async () => {
      const page = await world.poll('2026-01-01T00:00:00.1239+02:00', anna, 'assistant');
      expect(page.asOf).toBe('2025-12-31T22:00:00.123Z');
      const bea = world.unusedBuyer();
      const earlier = { buyerId: bea.id, latestActivityAt: EARLIER };
      const records = [dealSet({ ...earlier, latestActivityAt: LATER })];
      const ties = Array.from({ length: 100 }, () => dealSet(earlier));
      await locker.query('ROLLBACK');
      await insertHistory(world.database, [...records, ...ties]);
      await locker.query('BEGIN; LOCK TABLE deal_sets.reply IN ACCESS EXCLUSIVE MODE');
      const [first, last] = await world.drain(EPOCH, bea, 'assistant');
      expect(first).toMatchObject({ hasMore: true, asOf: '2026-02-01T00:00:00.000Z' });
      expect(first!.entries[0]!.changes!.newReplies).toEqual(COULD_NOT_CHECK);
      expect(last).toMatchObject({ hasMore: false, asOf: first!.asOf });
    });

    it('delay no poll that has nothing to look up', async () => {
      const since = new Date((await world.databaseTime()) - 5).toISOString();
      const empty = await world.poll(since, anna, 'assistant');
      expect(empty.entries).toEqual([]);
      expect(Date.parse(empty.asOf)).toBeGreaterThan(Date.parse(since));
    });

    it('leave a connection free for the page, even with twice as many polls as connections', async () => {
      const polls = Array.from({ length: 4 }, () => world.poll(EPOCH, anna, 'assistant'));
      for (const { entries } of await Promise.all(polls)) expect(entries).toHaveLength(4);
    });

    it('do not affect the session’s poll', async () => {
      expect((await world.poll(EPOCH, anna)).entries).toHaveLength(4);
    });
  });

  it('are also looked up after a slow page', async () => {
    const locker = await world.writer();
    await locker.query('BEGIN; LOCK TABLE deal_sets.request_feed IN ACCESS EXCLUSIVE MODE');
    const polled = world.poll(EPOCH, anna, 'assistant');
    await untilLockWaits(world.database);
    // Longer than the limit of the look-up, which is 1.5 s.
    await sleep(1_600);
    await locker.query('ROLLBACK');
    const { entries } = await polled;
    expect(entries).toHaveLength(4);
    for (const { changes } of entries) {
      expect(['new', 'none']).toContain(changes?.newReplies.status);
    }
  });

  it('distinguish a deal set’s replies from a single request’s where ids are the same', async () => {
    const bea = world.unusedBuyer();
    const keys = { buyerId: bea.id, dealershipId: world.dealership.id };
    const setWithIdOfRow = dealSet({ buyerId: bea.id });
    const setWithIdOfSingle = dealSet({ buyerId: bea.id });
    const member = priceCheck({ ...keys, id: setWithIdOfRow.id, dealSetId: setWithIdOfRow.id });
    const other = priceCheck({ ...keys, dealSetId: setWithIdOfSingle.id });
    const alone = priceCheck({ ...keys, id: setWithIdOfSingle.id });
    const replies = [member, other, other, other, alone, alone].map(({ id }) =>
      reply({ priceCheckId: id, arrivedAt: EARLIER }),
    );
    const records = [setWithIdOfRow, setWithIdOfSingle, member, other, alone, ...replies];
    await load(world.database, closed(records), { isBackfill: true });
    const { entries } = await world.poll(EPOCH, bea, 'assistant');
    const counts = entries.map((entry) => [keyOf(entry), entry.changes?.newReplies]);
    expect(Object.fromEntries(counts)).toMatchObject({
      [`deal_set:${setWithIdOfRow.id}`]: { count: 1 },
      [`deal_set:${setWithIdOfSingle.id}`]: { count: 3 },
      [`single:${setWithIdOfSingle.id}`]: { count: 2 },
    });
  });
});

/** Replies are new by the commit that made them readable. */
describe('new replies', () => {
  let anna: Reader;
  let single: string;
  let other: string;
  let since: string;

  beforeEach(async () => {
    anna = world.unusedBuyer();
    [single, other] = (await world.loadHistory(anna, 2, 0)).singles as [string, string];
    since = await world.latestWatermark(anna, 'assistant');
  });

  /**
   * The new replies that the next poll reports, by request; its Service-As-Of is the next `since`.
   */
  async function next(): Promise<Record<string, Changes['newReplies']>> {
    const page = await world.poll(since, anna, 'assistant');
    since = page.asOf;
    return Object.fromEntries(
      page.entries.map((entry) => [idOf(entry), entry.changes!.newReplies]),
    );
  }
  const insert = (request = single): Promise<unknown> =>
    world.database.query(insertReply(anna.id, request));
  const ofAnna = (sql: string, ...values: string[]): Promise<unknown> =>
    world.database.query(`${sql} WHERE buyer_id = $1`, [anna.id, ...values]);

  it('are counted once', async () => {
    await insert();
    expect(await next()).toMatchObject({ [single]: { status: 'new', count: 1 } });
    await world.database.query(setPrice(single, 7));
    expect(await next()).toEqual({ [single]: { status: 'none' } });
  });

  it('have arrived at the commit that recorded the newest of them', async () => {
    await insert();
    await insert();
    const before = since;
    const newReplies = (await next())[single]!;
    const [request] = await world.database.query<{ at: Date }>(
      'SELECT feed_at AS at FROM deal_sets.request_feed WHERE request_id = $1',
      [single],
    );
    expect(newReplies).toEqual({ status: 'new', count: 2, latestAt: request!.at.toISOString() });
    expect(request!.at.getTime()).toBeGreaterThan(Date.parse(before));
  });

  it('have one latestAt in every poll', async () => {
    await insert();
    const [{ arrived }] = (await world.database.query<{ arrived: Date }>(
      'SELECT feed_at AS arrived FROM deal_sets.reply WHERE buyer_id = $1',
      [anna.id],
    )) as [{ arrived: Date }];
    const latestAt = arrived.toISOString();
    const last = new Date(arrived.getTime() - 1).toISOString();
    for (const from of [EPOCH, since, last]) {
      const changes = await changesSince(from, anna);
      expect(changes[single]!.newReplies).toEqual({ status: 'new', count: 1, latestAt });
    }
  });

  it.each(['arrivedAt', 'receivedAt'] as const)(
    'have the time of a backfill only on a request that is new in it: %s',
    async (key) => {
      const at = { [key]: '2026-01-05T10:00:00.5678+02:00' };
      const known = {
        buyerId: anna.id,
        dealershipId: world.dealership.id,
        latestActivityAt: LATER,
      };
      const [dated, undated] = [priceCheck(known), priceCheck(known)];
      const replies = [dated.id, single].map((priceCheckId) => reply({ priceCheckId, ...at }));
      const file = [dated, undated, ...replies, reply({ priceCheckId: undated.id })];
      await load(world.database, closed(file), { isBackfill: true });
      await load(world.database, closed([reply({ priceCheckId: other, ...at })]));
      const changes = await changesSince(EPOCH, anna);
      const latestAt = (id: string): string => changes[id]!.newReplies.latestAt!;
      expect(latestAt(dated.id)).toBe('2026-01-05T08:00:00.567Z');
      expect(latestAt(undated.id)).toBe(new Date(LATER).toISOString());
      for (const id of [single, other]) {
        expect(Date.parse(latestAt(id))).toBeGreaterThan(Date.parse(since));
      }
    },
  );

  it('of a backfill never have a time after the loading', async () => {
    const made = priceCheck({
      buyerId: anna.id,
      dealershipId: world.dealership.id,
      latestActivityAt: LATER,
    });
    const ahead = reply({ priceCheckId: made.id, arrivedAt: '2999-01-01T00:00:00Z' });
    await load(world.database, closed([made, ahead]), { isBackfill: true });
    const [stored] = await world.database.query<{ at: Date }>(
      'SELECT feed_at AS at FROM deal_sets.reply WHERE id = $1',
      [ahead.id],
    );
    expect(stored!.at.getTime()).toBeLessThanOrEqual(await world.databaseTime());
  });

  it('have the stamp of their request, which is stamped once', async () => {
    await insert();
    const [first] = await world.repliesOf(anna);
    expect(first).toMatchObject({ hasStampOfRequest: true, is_marked: false });
    await pastStamp();
    await ofAnna('UPDATE deal_sets.reply SET feed_at = now()');
    expect(await world.repliesOf(anna)).toEqual([first]);
    await ofAnna('UPDATE deal_sets.reply SET feed_at = NULL');
    expect(await world.repliesOf(anna)).toEqual([first]);
  });

  it('keep their stamp from a writer of all columns, also in the transaction that inserts them', async () => {
    const writer = await world.writer();
    const at = `'2026-01-05T00:00:00Z'`;
    await writer.query(
      `BEGIN; INSERT INTO deal_sets.reply (buyer_id, id, price_check_id, feed_at)
       VALUES ('${anna.id}', gen_random_uuid(), '${single}', ${at});
       UPDATE deal_sets.reply SET feed_at = ${at} WHERE buyer_id = '${anna.id}';
       UPDATE deal_sets.reply SET feed_at = now() + interval '1 day' WHERE buyer_id = '${anna.id}'; COMMIT`,
    );
    expect(await world.repliesOf(anna)).toMatchObject([{ hasStampOfRequest: true }]);
    expect(await next()).toMatchObject({ [single]: { status: 'new', count: 1 } });
    // Only a loader of history writes an earlier time.
    await ofAnna(`UPDATE deal_sets.reply SET feed_at = ${at}`);
    expect(await world.repliesOf(anna)).toMatchObject([{ hasStampOfRequest: false }]);
  });

  it('include the replies that a transaction inserts before and after its stamp', async () => {
    const writer = await world.writer();
    const inserted = insertReply(anna.id, single);
    await writer.query(`BEGIN; ${inserted}; ${STAMP}; SET CONSTRAINTS ALL DEFERRED`);
    expect(await next()).toEqual({});
    await writer.query(`${inserted}; COMMIT`);
    expect(await next()).toMatchObject({ [single]: { count: 2 } });
  });

  it('do not include one that moves with its price check', async () => {
    await insert();
    await next();
    await world.database.query(setPrice(single, 7));
    expect(await next()).toEqual({ [single]: { status: 'none' } });
    const [set] = (await world.loadHistory(anna, 0, 1)).sets as [string];
    await world.database.query(
      `UPDATE deal_sets.price_check SET deal_set_id = '${set}' WHERE id = '${single}'`,
    );
    expect(await next()).toEqual({ [set]: { status: 'none' } });
  });

  it('include a reply that moves to another request', async () => {
    await insert();
    await next();
    await ofAnna('UPDATE deal_sets.reply SET price_check_id = $2', other);
    expect(await next()).toMatchObject({
      [other]: { status: 'new', count: 1 },
      [single]: { status: 'none' },
    });
  });

  it('include replies to a new request, and to many buyers in one transaction', async () => {
    const ben = world.unusedBuyer();
    const benSince = await world.latestWatermark(ben, 'assistant');
    const [annas, insertAnnas] = insertSingle(world, anna);
    const [bens, insertBens] = insertSingle(world, ben);
    const replies = [insertReply(anna.id, annas), insertReply(ben.id, bens)];
    await world.database.client.query(
      ['BEGIN', insertAnnas, insertBens, ...replies, 'COMMIT'].join(';'),
    );
    expect(await next()).toMatchObject({ [annas]: { count: 1 } });
    expect(await changesSince(benSince, ben)).toMatchObject({
      [bens]: { newReplies: { count: 1 } },
    });
  });
});
