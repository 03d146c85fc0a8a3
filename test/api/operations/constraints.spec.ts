import {
  buyer,
  dealership,
  dealSet,
  insert,
  load,
  priceCheck,
  reply,
  written,
} from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

let database: TestDatabase;
const anna = buyer();
const shop = dealership();

beforeAll(async () => {
  database = await createTestDatabase();
  await insert(database, [anna, shop]);
});
afterAll(() => database.drop());

const row = (values: Partial<Parameters<typeof priceCheck>[0]>) =>
  priceCheck({ buyerId: anna.id, dealershipId: shop.id, ...values });

const rejectionOf = async (
  records: readonly object[],
  options?: Parameters<typeof load>[2],
): Promise<string> =>
  load(database, records, options).then(
    () => 'accepted',
    (error: unknown) => (error as Error).message,
  );

/** The rules that writers of SQL and the import meet alike. */
describe('the database rejects', () => {
  it.each([
    [
      'closed_with_price_requires_a_price_in_writing',
      { ended: 'closed_with_price' },
      'is closed_with_price without a price in writing (`writtenAt`)',
    ],
    [
      'closed_with_price_requires_a_price_in_writing',
      { ended: 'closed_with_price', price: { otdCents: 5 } },
      'is closed_with_price without a price in writing (`writtenAt`)',
    ],
    [
      'no_price_excludes_a_price_in_writing_for_the_same_car',
      { ended: 'no_price', ...written(5) },
      'is no_price although there is a price in writing for the same car',
    ],
    [
      'no_price_excludes_a_price_in_writing_for_the_same_car',
      { ended: 'no_price', ...written(5), answer: null },
      'is no_price although there is a price in writing for the same car',
    ],
  ] as const)('%s: %j', async (constraint, values, reason) => {
    const record = row(values);
    await expect(insert(database, [record])).rejects.toMatchObject({ code: '23514', constraint });
    expect(await rejectionOf([record])).toBe(`line 1: priceCheck.ended: ${reason}`);
  });

  it('no ending that agrees with its price', async () => {
    const answer = 'different_car';
    await insert(database, [
      row({ ended: 'closed_with_price', ...written(5) }),
      row({ ended: 'closed_with_price', ...written(5), answer }),
      row({ ended: 'no_price' }),
      row({ ended: 'no_price', price: { otdCents: 5 } }),
      row({ ended: 'no_price', ...written(5), answer }),
    ]);
  });

  it('a request that is stamped in 1970 or earlier, and a reply that arrived then', async () => {
    const set = dealSet({ buyerId: anna.id });
    const made = row({ dealSetId: set.id });
    const answered = reply({ priceCheckId: made.id });
    await insert(database, [set, made, answered]);
    const stamp = (table: string, at: string, id: string): Promise<unknown> =>
      database.query(
        `UPDATE deal_sets.${table} SET feed_at = $1 WHERE ${table === 'reply' ? 'id' : 'request_id'} = $2`,
        [at, id],
      );
    for (const at of ['1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z']) {
      await expect(stamp('request_feed', at, set.id)).rejects.toMatchObject({
        constraint: 'stamp_after_1970',
      });
      await expect(stamp('reply', at, answered.id)).rejects.toMatchObject({
        constraint: 'reply_arrived_after_1970',
      });
    }
    await stamp('request_feed', '1970-01-01T00:00:00.001Z', set.id);
  });

  it.each([
    ['1970-01-01T00:00:00Z', 'refused'],
    ['1970-01-01T00:00:00.0009Z', 'refused'],
    ['1969-12-31T23:59:59Z', 'refused'],
    ['0001-01-01T00:00:00Z', 'refused'],
    ['1970-01-01T00:00:00.001Z', 'accepted'],
  ])('no time of the import but those until 1970: %s is %s', async (at, outcome) => {
    const reason = 'must be after 1970-01-01T00:00:00Z: leave out an unknown time';
    for (const isBackfill of [true, false]) {
      const set = dealSet({ buyerId: anna.id });
      const made = row({ dealSetId: set.id });
      const cases = [
        ['dealSet.latestActivityAt', { ...set, latestActivityAt: at }],
        ['dealSet.recordedAt', { ...set, recordedAt: at }],
        ['priceCheck.latestActivityAt', row({ latestActivityAt: at })],
        ['reply.arrivedAt', reply({ priceCheckId: made.id, arrivedAt: at })],
        ['reply.receivedAt', reply({ priceCheckId: made.id, receivedAt: at })],
      ] as const;
      for (const [key, record] of cases) {
        const records = [record, set, made].filter(
          ({ id }, place) => place === 0 || id !== record.id,
        );
        const file = [...records, { record: 'end', records: records.length }];
        expect(await rejectionOf(file, { isBackfill, isDryRun: true })).toBe(
          outcome === 'accepted' ? outcome : `line 1: ${key}: ${reason}`,
        );
      }
    }
  });
});
