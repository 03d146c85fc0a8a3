import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { dealSet, load, priceCheck, reply, written } from '../../builders/index.js';
import {
  EPOCH,
  FeedWorld,
  idOf,
  insertSingle,
  keyOf,
  setPrice,
  type Entry,
  type FeedBuyer,
} from './feed-world.js';

const EARLIER = '2026-02-01T00:00:00Z';
const LATER = '2026-03-01T00:00:00Z';

describe('changes', () => {
  let granted: FeedWorld;
  let set: string;
  let row: string;
  let single: string;
  let ended: string;
  let endedSet: string;

  beforeAll(async () => {
    granted = await FeedWorld.start({
      buyers: 2,
      changesGranted: true,
      env: { REQUEST_DEADLINE_MS: '2500', DATABASE_POOL_SIZE: '2' },
    });
    const mine = { buyerId: granted.anna.id, latestActivityAt: LATER };
    const of = { ...mine, dealershipId: granted.shop.id };
    const records = [
      dealSet(mine),
      priceCheck({ ...of, ...written(900, EARLIER) }),
      priceCheck({ ...of, ended: 'no_price', endedAt: EARLIER }),
      dealSet({ ...mine, endedAt: LATER }),
    ] as const;
    const endedMember = priceCheck({
      ...of,
      dealSetId: records[3].id,
      ...written(800, EARLIER),
      ended: 'sold',
      endedAt: EARLIER,
    });
    const member = priceCheck({ ...of, dealSetId: records[0].id });
    [set, single, ended, endedSet] = records.map(({ id }) => id) as [
      string,
      string,
      string,
      string,
    ];
    row = member.id;
    const replies = [
      reply({ priceCheckId: row, receivedAt: '2026-02-10T00:00:00Z' }),
      reply({ priceCheckId: row, receivedAt: '2026-02-12T10:00:00.5+02:00' }),
      reply({ priceCheckId: row, receivedAt: '2026-02-11T00:00:00Z' }),
      reply({ priceCheckId: single, receivedAt: '2026-02-10T00:00:00Z' }),
      reply({ priceCheckId: row, receivedAt: '2999-01-01T00:00:00Z' }),
    ];
    await load(granted.database, [...records, member, endedMember, ...replies], {
      isBackfill: true,
    });
  });
  afterAll(() => granted.stop());

  /** Of a reply that was received in the future: it was not readable before it was loaded. */
  const loadedAt: unknown = expect.not.stringMatching(/^2999/);

  async function changesSince(since: string): Promise<Record<string, Entry['changes']>> {
    const { entries } = await granted.poll(since, granted.anna, 'assistant');
    return Object.fromEntries(entries.map((entry) => [idOf(entry), entry.changes]));
  }

  it('come with every entry of an assistant whose buyer was granted them', async () => {
    expect(await changesSince(EPOCH)).toEqual({
      [set]: {
        hasWrittenPrice: false,
        newReplies: { status: 'new', count: 4, latestAt: loadedAt },
        ended: false,
      },
      [single]: {
        hasWrittenPrice: true,
        newReplies: { status: 'new', count: 1, latestAt: '2026-02-10T00:00:00.000Z' },
        ended: false,
      },
      [ended]: { hasWrittenPrice: false, newReplies: { status: 'none' }, ended: true },
      [endedSet]: { hasWrittenPrice: true, newReplies: { status: 'none' }, ended: true },
    });
  });

  it('count the replies of a backfill by their receipt, strictly, or by its loading if that is earlier', async () => {
    const newReplies = (changes?: Entry['changes']): unknown => changes!.newReplies;
    const after = await changesSince('2026-02-10T00:00:00Z');
    expect(newReplies(after[set])).toMatchObject({ status: 'new', count: 3 });
    expect(newReplies(after[single])).toEqual({ status: 'none' });
    expect(newReplies((await changesSince('2026-02-20T00:00:00Z'))[set])).toEqual({
      status: 'new',
      count: 1,
      latestAt: loadedAt,
    });
  });

  it('show states, however old: a written price and an ending from before since', async () => {
    const after = await changesSince('2026-02-20T00:00:00Z');
    expect(after[single]).toMatchObject({ hasWrittenPrice: true });
    expect(after[ended]).toMatchObject({ ended: true });
  });

  it('stay away from a plain call, from the session, and from a buyer who was granted none', async () => {
    const plain = await granted.service.get<{ data: Entry[] }>(
      '/api/v1/deal-sets',
      granted.anna.assistant,
    );
    expect(plain.body.data.length).toBeGreaterThan(0);
    for (const entry of plain.body.data) expect(entry).not.toHaveProperty('changes');
    for (const entry of (await granted.poll(EPOCH)).entries)
      expect(entry).not.toHaveProperty('changes');

    await granted.database.query('UPDATE buyer SET changes_granted = false WHERE id = $1', [
      granted.anna.id,
    ]);
    for (const entry of (await granted.poll(EPOCH, granted.anna, 'assistant')).entries) {
      expect(entry).not.toHaveProperty('changes');
    }
    await granted.database.query('UPDATE buyer SET changes_granted = true WHERE id = $1', [
      granted.anna.id,
    ]);
  });

  it('come on an empty page too, as nothing', async () => {
    expect(await changesSince('2026-04-01T00:00:00Z')).toEqual({});
  });

  describe('while replies cannot be looked up', () => {
    let locker: Client;
    beforeEach(async () => {
      locker = await granted.writer();
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE reply IN ACCESS EXCLUSIVE MODE');
    });
    afterEach(() => locker.query('ROLLBACK'));

    it('say could_not_check and keep every entry, within the deadline', async () => {
      const startedAt = performance.now();
      const page = await granted.poll(EPOCH, granted.anna, 'assistant');
      expect(performance.now() - startedAt).toBeLessThan(2_500);
      expect(page.hasMore).toBe(false);
      expect(page.entries.map((entry) => entry.changes)).toEqual(
        expect.arrayContaining([
          { hasWrittenPrice: false, newReplies: { status: 'could_not_check' }, ended: false },
          { hasWrittenPrice: true, newReplies: { status: 'could_not_check' }, ended: false },
          { hasWrittenPrice: false, newReplies: { status: 'could_not_check' }, ended: true },
        ]),
      );
    });

    it('leave a connection for the page alone, to twice as many polls as there are', async () => {
      const polls = Array.from({ length: 4 }, () => granted.poll(EPOCH, granted.anna, 'assistant'));
      for (const { entries } of await Promise.all(polls)) expect(entries).toHaveLength(4);
    });

    it('do not touch the session’s poll', async () => {
      expect((await granted.poll(EPOCH)).entries).toHaveLength(4);
    });
  });

  it('are looked up also after a page that was slow', async () => {
    const locker = await granted.writer();
    await locker.query('BEGIN; LOCK TABLE request_feed IN ACCESS EXCLUSIVE MODE');
    const polled = granted.poll(EPOCH, granted.anna, 'assistant');
    await sleep(1_700);
    await locker.query('ROLLBACK');
    const { entries } = await polled;
    expect(entries).toHaveLength(4);
    for (const { changes } of entries) {
      expect(['new', 'none']).toContain(changes?.newReplies.status);
    }
  });

  it('say could_not_check when the look-up fails', async () => {
    await granted.database.query('ALTER TABLE reply RENAME COLUMN feed_at TO stamped_at');
    const changes = await changesSince(EPOCH).finally(() =>
      granted.database.query('ALTER TABLE reply RENAME COLUMN stamped_at TO feed_at'),
    );
    expect(Object.values(changes).map((change) => change?.newReplies)).toEqual(
      Array(4).fill({ status: 'could_not_check' }),
    );
  });

  it('distinguish a deal set’s replies from a single request’s where ids are the same', async () => {
    // Last of all: the tests before count what there is.
    const bea = granted.next();
    const of = { buyerId: bea.id, dealershipId: granted.shop.id };
    const likeItsMember = dealSet({ buyerId: bea.id });
    const likeASingle = dealSet({ buyerId: bea.id });
    const member = priceCheck({ ...of, id: likeItsMember.id, dealSetId: likeItsMember.id });
    const other = priceCheck({ ...of, dealSetId: likeASingle.id });
    const alone = priceCheck({ ...of, id: likeASingle.id });
    const replies = [member, other, other, other, alone, alone].map(({ id }) =>
      reply({ priceCheckId: id, receivedAt: EARLIER }),
    );
    await load(granted.database, [likeItsMember, likeASingle, member, other, alone, ...replies], {
      isBackfill: true,
    });
    const { entries } = await granted.poll(EPOCH, bea, 'assistant');
    const counts = entries.map((entry) => [keyOf(entry), entry.changes?.newReplies]);
    expect(Object.fromEntries(counts)).toMatchObject({
      [`deal_set:${likeItsMember.id}`]: { count: 1 },
      [`deal_set:${likeASingle.id}`]: { count: 3 },
      [`single:${likeASingle.id}`]: { count: 2 },
    });
  });
});

/** Replies are new by the commit that made them readable, not by the time at which they were received. */
describe('new replies', () => {
  let world: FeedWorld;
  let anna: FeedBuyer;
  let single: string;
  let other: string;
  let since: string;

  beforeAll(async () => {
    world = await FeedWorld.start({
      buyers: 12,
      changesGranted: true,
      env: { FEED_MARGIN_MS: '0' },
    });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    anna = world.next();
    [single, other] = (await world.history(anna, 2, 0)).singles as [string, string];
    since = (await world.drain(EPOCH, anna, 'assistant')).at(-1)!.asOf;
  });

  const insertReply = (receivedAt: string, id = randomUUID(), of = single): string =>
    `INSERT INTO reply (buyer_id, id, price_check_id, received_at)
     VALUES ('${anna.id}', '${id}', '${of}', ${receivedAt})`;

  /** What the next poll says of each entry; its Service-As-Of is the next `since`. */
  async function next(): Promise<Record<string, Entry['changes']>> {
    const page = await world.poll(since, anna, 'assistant');
    since = page.asOf;
    return Object.fromEntries(page.entries.map((entry) => [entry.id!, entry.changes] as const));
  }
  const stamps = (): Promise<object[]> =>
    world.database.query<{ same: boolean; feed_at: Date; is_pending: boolean }>(
      `SELECT r.feed_at = f.feed_at AS same, f.feed_at, f.is_pending
       FROM reply r JOIN request_feed f ON f.buyer_id = r.buyer_id AND f.request_id = r.request_id
       WHERE r.buyer_id = $1`,
      [anna.id],
    );

  it.each([
    ['a reply that is recorded long after it was received', `'2026-01-05T00:00:00Z'`],
    ['a reply that is recorded a minute after it was received', `now() - interval '1 minute'`],
    ['a reply whose receipt clock runs ahead', `now() + interval '30 seconds'`],
  ])('include %s, once', async (_what, receivedAt) => {
    await world.database.query(insertReply(receivedAt));
    expect((await next())[single]!.newReplies).toMatchObject({ status: 'new', count: 1 });
    await world.database.query(setPrice(single, 7));
    expect((await next())[single]!.newReplies).toEqual({ status: 'none' });
  });

  it('say when the newest of them became readable: after since, regardless of its receipt', async () => {
    await world.database.query(insertReply(`'2026-01-05T00:00:00Z'`));
    await world.database.query(insertReply(`'2026-01-04T00:00:00Z'`));
    const before = since;
    const { newReplies } = (await next())[single]!;
    const [request] = await world.database.query<{ at: Date }>(
      'SELECT feed_at AS at FROM request_feed WHERE request_id = $1',
      [single],
    );
    expect(newReplies).toEqual({ status: 'new', count: 2, latestAt: request!.at.toISOString() });
    expect(Date.parse(request!.at.toISOString())).toBeGreaterThan(Date.parse(before));
  });

  it('include those of a live import, regardless of their receipt', async () => {
    await load(world.database, [
      reply({ priceCheckId: single, receivedAt: '2026-01-03T00:00:00Z' }),
      reply({ priceCheckId: other, receivedAt: '2026-01-04T00:00:00Z' }),
    ]);
    const changes = await next();
    expect(changes[single]!.newReplies).toMatchObject({ count: 1 });
    expect(changes[other]!.newReplies).toMatchObject({ count: 1 });
  });

  it('has the stamp of its request, which is stamped once', async () => {
    await world.database.query(insertReply(`'2026-01-05T00:00:00Z'`));
    const [first] = await stamps();
    expect(first).toMatchObject({ same: true, is_pending: false });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await world.database.query('UPDATE reply SET feed_at = now() WHERE buyer_id = $1', [anna.id]);
    expect(await stamps()).toEqual([first]);
    await world.database.query('UPDATE reply SET feed_at = NULL WHERE buyer_id = $1', [anna.id]);
    expect(await stamps()).toEqual([first]);
  });

  it('count one of a transaction that was stamped before its end, and one after', async () => {
    const writer = await world.writer();
    await writer.query('BEGIN');
    await writer.query(insertReply('now()'));
    await writer.query('SET CONSTRAINTS ALL IMMEDIATE');
    await writer.query('SET CONSTRAINTS ALL DEFERRED');
    expect(await next()).toEqual({});
    await writer.query(insertReply('now()'));
    await writer.query('COMMIT');
    expect((await next())[single]!.newReplies).toMatchObject({ count: 2 });
  });

  it('do not include one that is corrected, or that a moving price check takes along', async () => {
    const id = randomUUID();
    await world.database.query(insertReply('now()', id));
    await next();
    await world.database.query(`UPDATE reply SET received_at = now() WHERE id = $1`, [id]);
    expect(await next()).toEqual({});
    const [set] = (await world.history(anna, 0, 1)).sets;
    await world.database.query('UPDATE price_check SET deal_set_id = $1 WHERE id = $2', [
      set,
      single,
    ]);
    const page = await world.poll(since, anna, 'assistant');
    const moved = page.entries.find((entry) => entry.dealSetId === set)!;
    expect(moved.changes!.newReplies).toEqual({ status: 'none' });
  });

  it('include one that goes to another request', async () => {
    const id = randomUUID();
    await world.database.query(insertReply('now()', id));
    await next();
    await world.database.query('UPDATE reply SET price_check_id = $1 WHERE id = $2', [other, id]);
    const changes = await next();
    expect(changes[other]!.newReplies).toMatchObject({ status: 'new', count: 1 });
    expect(changes[single]!.newReplies).toEqual({ status: 'none' });
  });

  it('include those of a new request, and of many buyers in one transaction', async () => {
    const ben = world.next();
    const [benSince] = [(await world.drain(EPOCH, ben, 'assistant')).at(-1)!.asOf];
    const [annas, insertAnnas] = insertSingle(world, anna);
    const [bens, insertBens] = insertSingle(world, ben);
    await world.database.client.query(
      `BEGIN; ${insertAnnas}; ${insertBens}; ${insertReply('now()', randomUUID(), annas)};
       INSERT INTO reply (buyer_id, id, price_check_id, received_at)
         VALUES ('${ben.id}', '${randomUUID()}', '${bens}', now() - interval '1 day'); COMMIT`,
    );
    expect((await next())[annas]!.newReplies).toMatchObject({ count: 1 });
    const [entry] = (await world.poll(benSince, ben, 'assistant')).entries;
    expect(entry!.changes!.newReplies).toMatchObject({ count: 1 });
  });
});
