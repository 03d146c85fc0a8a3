import { ImportRefused } from '../../src/import/problems.js';
import { buyer, dealership, dealSet, load, ndjson, priceCheck } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const INVISIBLE = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]$/u;

describe('an import', () => {
  let database: TestDatabase;
  const anna = buyer();
  const shop = dealership();
  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [anna, shop]);
  });
  afterAll(() => database.drop());

  async function refusal(records: readonly object[] | string): Promise<string> {
    const problem: unknown = await load(database, records).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(ImportRefused);
    return (problem as ImportRefused).message;
  }

  describe('with a closing record', () => {
    const end = (records: number): string => `{"record":"end","records":${records}}\n`;
    const two = ndjson([buyer(), buyer()]);

    it('takes a file that is whole', async () => {
      expect(await load(database, `${two}${end(2)}\n`)).toMatchObject({ records: 2 });
      expect(await load(database, end(0))).toMatchObject({ records: 0, added: 0 });
    });

    it('refuses a file that lacks lines, and one that goes on', async () => {
      expect(await refusal(`${two}${end(3)}`)).toBe(
        'line 3: end.records: must be 2, the number of records before it; the file may be cut off',
      );
      expect(await refusal(`${end(0)}${two}`)).toBe('line 2: must not follow the closing record');
      expect(await refusal(`${two}${end(2)}${end(2)}`)).toBe(
        'line 4: must not follow the closing record',
      );
    });
  });

  it.each([
    ['pretty-printed', JSON.stringify(buyer(), null, 2)],
    ['an array over several lines', `[\n${JSON.stringify(buyer())}\n]`],
    ['an array in one line', `\n${JSON.stringify([buyer()])}`],
  ])('says once what is wrong with a file that is %s', async (_what, text) => {
    expect(await refusal(text)).toMatch(
      /^line [12]: must be one JSON object on each line, not an array and not pretty-printed$/,
    );
  });

  it('compares unlockedAt with the clock of the database', async () => {
    const { now } = (await database.query<{ now: Date }>('SELECT clock_timestamp() AS now'))[0]!;
    const check = (aheadMs: number): object =>
      priceCheck({
        buyerId: anna.id,
        dealershipId: shop.id,
        unlockedAt: new Date(now.getTime() + aheadMs).toISOString(),
      });
    await load(database, [check(30_000)]);
    expect(await refusal([check(3_600_000)])).toBe(
      "line 1: priceCheck.unlockedAt: must not lie more than 60 s after the database's clock",
    );
  });

  describe('counts the requests that clients which poll do not see', () => {
    const old = { latestActivityAt: '2026-02-01T00:00:00Z' };

    it('of buyers already on record, new ones with a time, in a backfill', async () => {
      const ben = buyer();
      const [set, single] = [
        dealSet({ buyerId: anna.id, ...old }),
        priceCheck({ buyerId: anna.id, dealershipId: shop.id, ...old }),
      ];
      const file = [
        ben,
        set,
        single,
        priceCheck({ buyerId: anna.id, dealershipId: shop.id, dealSetId: set.id, ...old }),
        dealSet({ buyerId: anna.id }),
        dealSet({ buyerId: ben.id, ...old }),
      ];
      expect(await load(database, file, { isBackfill: true, isDryRun: true })).toMatchObject({
        unseen: 2,
      });
      expect(await load(database, file, { isBackfill: true })).toMatchObject({ unseen: 2 });
      expect(await load(database, file, { isBackfill: true })).toMatchObject({ unseen: 0 });
      expect(await load(database, file)).not.toHaveProperty('unseen');
    });
  });

  describe('and the database', () => {
    it.each([
      ['a dealership', 'dealership.name', (name: string) => dealership({ name })],
      [
        'a requested make',
        'dealSet.car.make',
        (make: string) => dealSet({ buyerId: anna.id, car: { year: 2026, make, model: 'A' } }),
      ],
      [
        'a requested model',
        'dealSet.car.model',
        (model: string) => dealSet({ buyerId: anna.id, car: { year: 2026, make: 'A', model } }),
      ],
    ])('refuse a blank name of %s', async (_what, key, record) => {
      for (const blank of [' ', '\u3164', '\u200b\u2060 \ufeff', '\u{e0020}\ufe0f']) {
        expect(await refusal([record(blank)])).toBe(`line 1: ${key}: must not be blank`);
      }
      await load(database, [record('.')], { isDryRun: true });
    });

    it.each([
      [
        'the name of a dealership',
        `INSERT INTO dealership (id, name) VALUES (gen_random_uuid(), U&'\\3164\\00ad')`,
      ],
      ['the make of a car', "UPDATE deal_set SET car_make = E'\\t '"],
      ['the model of a car', "UPDATE deal_set SET car_model = ''"],
    ])('refuse it to other writers (%s)', async (_what, sql) => {
      await load(database, [dealSet({ buyerId: anna.id })]);
      await expect(database.query(sql)).rejects.toMatchObject({
        code: '23514',
        constraint: 'not_blank',
      });
    });

    it('hold the same characters for blank', async () => {
      await database.query(
        `CREATE FUNCTION pg_temp.is_blank(input text) RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN PERFORM input::visible_text; RETURN false; EXCEPTION WHEN check_violation THEN RETURN true; END $$`,
      );
      const blank = await database.query<{ code: number }>(
        `SELECT code FROM generate_series(1, 1114111) code
         WHERE code NOT BETWEEN 55296 AND 57343 AND pg_temp.is_blank(chr(code)) ORDER BY code`,
      );
      const expected: number[] = [];
      for (let code = 1; code <= 0x10ffff; code += 1) {
        if (INVISIBLE.test(String.fromCodePoint(code))) expected.push(code);
      }
      expect(blank.map(({ code }) => code)).toEqual(expected);
    });
  });
});
