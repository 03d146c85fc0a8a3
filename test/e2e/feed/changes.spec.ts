import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { dealSet, load, priceCheck, reply, written } from '../../builders/index.js';
import { EPOCH, FeedWorld, idOf, keyOf, type Entry } from './feed-world.js';

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
