import { randomUUID } from 'node:crypto';
import { load, reply } from '../../builders/index.js';
import {
  EPOCH,
  FeedWorld,
  insertSingle,
  setPrice,
  type Entry,
  type FeedBuyer,
} from './feed-world.js';

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
