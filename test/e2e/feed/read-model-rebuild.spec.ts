import { rebuild } from '../../../src/database/rebuild.js';
import { dealSet, load, priceCheck, question, written } from '../../builders/index.js';
import { EPOCH, FeedWorld, idsOf, type FeedBuyer, type Poll } from './feed-world.js';
import { modelRows } from './read-model-rows.js';

/** As the migration leaves the rows of requests that were there before it. */
const NOT_COMPUTED = `UPDATE request_feed SET requested_at = NULL, is_active = true, has_ended = NULL, written = NULL,
  member_ids = NULL, chosen = NULL, lowest_written_otd_cents = NULL, open_items = NULL, car_year = NULL
  WHERE request_id = ANY ($1::uuid[])`;

describe('rows of the read model that are not computed yet', () => {
  let world: FeedWorld;
  let anna: FeedBuyer;
  let ids: string[];

  beforeAll(async () => {
    world = await FeedWorld.start({ buyers: 8, env: { FEED_MARGIN_MS: '0' } });
  });
  afterAll(() => world.stop());

  beforeEach(async () => {
    anna = world.next();
    const mine = { buyerId: anna.id, dealershipId: world.shop.id };
    const sets = Array.from({ length: 14 }, (_, day) =>
      dealSet({
        buyerId: anna.id,
        createdAt: `2026-01-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
        latestActivityAt: '2026-02-01T00:00:00Z',
        ...(day === 3 ? { endedAt: '2026-01-20T00:00:00Z' } : {}),
      }),
    );
    const rows = sets.flatMap(({ id }, index) => [
      priceCheck({
        ...mine,
        dealSetId: id,
        ...written(3_000_000 + index),
        chosenAt: '2026-01-04T00:00:00Z',
      }),
      priceCheck({ ...mine, dealSetId: id }),
    ]);
    const singles = Array.from({ length: 27 }, (_, day) =>
      priceCheck({
        ...mine,
        ...(day % 2 === 0 ? written(5_000 + day) : {}),
        requestedAt: `2026-01-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
        latestActivityAt: '2026-02-02T00:00:00Z',
      }),
    );
    const asked = question({ priceCheckId: rows[1]!.id });
    await load(world.database, [...sets, ...rows, ...singles, asked], { isBackfill: true });
    ids = [...sets, ...singles].map(({ id }) => id);
  });

  const readers = (): FeedBuyer['session'][] => [anna.session, anna.assistant];
  const list = async (): Promise<unknown[]> =>
    Promise.all(
      readers().map(async (reader) => {
        const { body, headers } = await world.service.get<object>('/api/v1/deal-sets', reader);
        return { body, more: headers['service-more'] };
      }),
    );
  const drain = async (): Promise<unknown[]> =>
    Promise.all(
      (['session', 'assistant'] as const).map(async (as) =>
        (await world.drain(EPOCH, anna, as)).map(({ entries }: Poll) => entries),
      ),
    );

  it.each([
    ['none is computed', () => ids],
    ['one of each kind is not', () => [ids[0]!, ids.at(-1)!]],
    ['one that has ended is not', () => [ids[3]!]],
  ])('changes no answer when %s', async (_what, stale) => {
    const before = { list: await list(), pages: await drain() };
    await world.database.query(NOT_COMPUTED, [stale()]);
    expect({ list: await list(), pages: await drain() }).toEqual(before);
  });

  it('are computed by the rebuild, which stamps none of them', async () => {
    const before = { list: await list(), pages: await drain() };
    await world.database.query(NOT_COMPUTED, [ids]);
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    const client = await world.writer();
    expect((await rebuild(client)).stamped).toBe(0);
    expect(await rebuild(client)).toEqual({ rebuilt: 0, stamped: 0 });
    expect(idsOf(await world.drain(since, anna))).toEqual([]);
    const { stored, expected } = await modelRows(client);
    expect(stored).toEqual(expected);
    expect({ list: await list(), pages: await drain() }).toEqual(before);
  });

  it('are computed by any change of the request', async () => {
    await world.database.query(NOT_COMPUTED, [ids]);
    await world.database.query('UPDATE deal_set SET dealers_found = 3 WHERE id = $1', [ids[0]]);
    const [row] = await world.database.query(
      'SELECT requested_at IS NOT NULL AS "isComputed" FROM request_feed WHERE request_id = $1',
      [ids[0]],
    );
    expect(row).toEqual({ isComputed: true });
  });

  it('that say something else than the data are corrected and stamped by a rebuild of all', async () => {
    await world.database.query('UPDATE request_feed SET written = 9 WHERE request_id = $1', [
      ids[0],
    ]);
    const since = (await world.drain(EPOCH, anna)).at(-1)!.asOf;
    const client = await world.writer();
    const { stamped } = await rebuild(client, { isAll: true });
    expect(stamped).toBe(1);
    expect(idsOf(await world.drain(since, anna))).toEqual([ids[0]]);
    const { stored, expected } = await modelRows(client);
    expect(stored).toEqual(expected);
  });

  it('are what /health/ready names until the rebuild is done', async () => {
    await world.database.query(NOT_COMPUTED, [ids]);
    const { TestService } = await import('../../setup/test-service.js');
    const service = await TestService.start({ database: world.database });
    try {
      const ready = async (): Promise<unknown> =>
        JSON.parse((await service.send('GET', '/health/ready', undefined)).text);
      expect(await ready()).toEqual({ status: 'ok', pending: 'rebuild' });
      await rebuild(await world.writer());
      await world.database.query('SELECT pg_sleep(1.1)');
      expect(await ready()).toEqual({ status: 'ok' });
    } finally {
      await service.stop();
    }
  });
});
