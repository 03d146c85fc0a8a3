import { randomUUID } from 'node:crypto';
import { ImportRefused } from '../../../src/import/problems.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  ndjson,
  priceCheck,
  question,
  reply,
  session,
} from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';

const INVISIBLE = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]$/u;

/** The message with which an import is refused. */
async function refusalOf(
  database: TestDatabase,
  records: readonly object[] | string,
  isBackfill = false,
): Promise<string> {
  const problem: unknown = await load(database, records, { isBackfill }).catch(
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(ImportRefused);
  return (problem as ImportRefused).message;
}

describe('an import of a file with a wrong record', () => {
  let database: TestDatabase;
  const anna = buyer();
  const ben = buyer();
  const fremont = dealership();
  const annasSet = dealSet({ buyerId: anna.id });
  const annasRow = priceCheck({
    buyerId: anna.id,
    dealershipId: fremont.id,
    dealSetId: annasSet.id,
  });
  const bensSingle = priceCheck({ buyerId: ben.id, dealershipId: fremont.id });
  const annasSession = session({ buyerId: anna.id });
  const annasGrant = grant({ buyerId: anna.id });
  const annasQuestion = question({ priceCheckId: annasRow.id });
  const annasDraft = draft({ priceCheckId: annasRow.id });
  const annasReply = reply({ priceCheckId: annasRow.id });

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [
      anna,
      ben,
      fremont,
      annasSet,
      annasRow,
      bensSingle,
      annasSession,
      annasGrant,
      annasQuestion,
      annasDraft,
      annasReply,
    ]);
  });
  afterAll(() => database.drop());

  const refusal = (records: readonly object[] | string, isBackfill = false): Promise<string> =>
    refusalOf(database, records, isBackfill);

  /** Of a file whose second line is wrong. */
  async function expectRefused(wrong: object, reason: string): Promise<void> {
    const before = await everything(database);
    expect(await refusal([buyer(), wrong])).toBe(`line 2: ${reason}`);
    expect(await everything(database)).toEqual(before);
  }
  const of = { buyerId: anna.id, dealershipId: fremont.id };

  it.each([
    ['session.buyerId', 'buyer', session({ buyerId: UNKNOWN })],
    ['grant.buyerId', 'buyer', grant({ buyerId: UNKNOWN })],
    ['dealSet.buyerId', 'buyer', dealSet({ buyerId: UNKNOWN })],
    ['priceCheck.buyerId', 'buyer', priceCheck({ ...of, buyerId: UNKNOWN })],
    ['priceCheck.dealershipId', 'dealership', priceCheck({ ...of, dealershipId: UNKNOWN })],
    ['priceCheck.dealSetId', 'dealSet', priceCheck({ ...of, dealSetId: UNKNOWN })],
    ['question.priceCheckId', 'priceCheck', question({ priceCheckId: UNKNOWN })],
    ['draft.priceCheckId', 'priceCheck', draft({ priceCheckId: UNKNOWN })],
    ['reply.priceCheckId', 'priceCheck', reply({ priceCheckId: UNKNOWN })],
  ])('refuses the whole file for a %s that names no %s', (key, kind, wrong) =>
    expectRefused(wrong, `${key}: names no ${kind} of this file or of the database`),
  );

  it.each([
    ['dealSet', dealSet({ id: annasSet.id, buyerId: ben.id })],
    ['priceCheck', priceCheck({ ...of, id: annasRow.id, buyerId: ben.id })],
    ['session', session({ id: annasSession.id, buyerId: ben.id })],
    ['grant', grant({ id: annasGrant.id, buyerId: ben.id })],
    ['question', question({ id: annasQuestion.id, priceCheckId: bensSingle.id })],
    ['draft', draft({ id: annasDraft.id, priceCheckId: bensSingle.id })],
    ['reply', reply({ id: annasReply.id, priceCheckId: bensSingle.id })],
  ])("refuses the whole file for a %s under the id of another buyer's", (record, wrong) =>
    expectRefused(wrong, `${record}.id: belongs to another buyer`),
  );

  it.each<[reason: string, wrong: object]>([
    [
      "priceCheck.dealSetId: is another buyer's deal set",
      priceCheck({ ...of, buyerId: ben.id, dealSetId: annasSet.id }),
    ],
    [
      'grant.clientId: has another grant of this buyer that is not revoked',
      grant({ buyerId: anna.id, clientId: annasGrant.clientId }),
    ],
    [
      'session.tokenSha256: is that of another session',
      session({ buyerId: ben.id, tokenSha256: annasSession.tokenSha256 }),
    ],
    [
      'dealSet.latestActivityAt: must not lie in the future',
      dealSet({ buyerId: anna.id, latestActivityAt: '2999-01-01T00:00:00Z' }),
    ],
    ['buyer.name: is not a key of this record', { ...buyer(), name: 'Anna' }],
    [
      'record: must be one of buyer, dealership, session, grant, dealSet, priceCheck, question, draft, reply, erasedBuyer, end',
      { record: 'order' },
    ],
  ])('refuses the whole file because %s', (reason, wrong) => expectRefused(wrong, reason));

  it('refuses one id under two buyers of the file', async () => {
    const id = randomUUID();
    const records = [dealSet({ id, buyerId: anna.id }), dealSet({ id, buyerId: ben.id })];
    expect(await refusal(records)).toBe('line 2: dealSet.id: belongs to another buyer');
  });

  it('refuses two live grants of an assistant in the file, and one hash twice in it', async () => {
    const grants = [1, 2].map(() => grant({ buyerId: ben.id, clientId: 'twice' }));
    expect(await refusal(grants)).toBe(
      'line 2: grant.clientId: has another grant of this buyer that is not revoked',
    );
    const tokenSha256 = 'ab'.repeat(32);
    const sessions = [1, 2].map(() => session({ buyerId: ben.id, tokenSha256 }));
    expect(await refusal(sessions)).toBe('line 2: session.tokenSha256: is that of another session');
  });

  it('refuses text that PostgreSQL cannot store', async () => {
    expect(
      await refusal('{"record":"dealership","id":"' + UNKNOWN + '","name":"a\\u0000b"}\n'),
    ).toBe('line 1: dealership.name: must not contain the character NUL (\\u0000)');
    expect(await refusal('{"record":"dealership","id":"' + UNKNOWN + '","name":"\\ud800"}\n')).toBe(
      'line 1: dealership.name: must not contain a lone surrogate (half of a character)',
    );
  });

  it.each([false, true])(
    'refuses more than 200 requests of a buyer at one time (backfill: %s)',
    async (isBackfill) => {
      const latestActivityAt = '2026-02-01T00:00:00.1234Z';
      const requests = (count: number): object[] => [
        ...Array.from({ length: count - 100 }, () =>
          dealSet({ buyerId: ben.id, latestActivityAt }),
        ),
        ...Array.from({ length: 100 }, () =>
          priceCheck({
            buyerId: ben.id,
            dealershipId: fremont.id,
            latestActivityAt: '2026-02-01T00:00:00.123Z',
          }),
        ),
      ];
      expect(await refusal(requests(201), isBackfill)).toBe(
        'line 201: priceCheck.latestActivityAt: is shared by more than 200 requests of this buyer',
      );
      await load(database, requests(200), { isBackfill, isDryRun: true });
    },
  );

  it('refuses a time that 200 stored requests already share', async () => {
    const cleo = buyer();
    const latestActivityAt = '2026-02-02T00:00:00Z';
    const sets = Array.from({ length: 200 }, () => dealSet({ buyerId: cleo.id, latestActivityAt }));
    await load(database, [cleo, ...sets], { isBackfill: true });
    await load(database, sets.slice(0, 10), { isBackfill: true });
    expect(await refusal([dealSet({ buyerId: cleo.id, latestActivityAt })], true)).toBe(
      'line 1: dealSet.latestActivityAt: is shared by more than 200 requests of this buyer',
    );
  });

  it('lists the first twenty problems and counts the others', async () => {
    const wrong = Array.from({ length: 30 }, () => ({ ...buyer(), nick: 'x' }));
    const lines = (await refusal(wrong)).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('line 1: buyer.nick: is not a key of this record');
    expect(lines[20]).toBe('and 10 more');
    const dangling = Array.from({ length: 30 }, () => reply({ priceCheckId: UNKNOWN }));
    expect((await refusal(dangling)).split('\n')[20]).toBe('and 10 more');
  });

  it('refuses a file whose last line breaks off', async () => {
    const before = await everything(database);
    expect(await refusal(`${ndjson([buyer()])}{"record":"buy`)).toBe(
      'line 2: must be valid JSON, one JSON object on each line',
    );
    expect(await everything(database)).toEqual(before);
  });

  it('refuses a file in which only a line is wrong that a later one replaces', async () => {
    const id = randomUUID();
    const wrong = priceCheck({ id, buyerId: anna.id, dealershipId: UNKNOWN });
    const sound = priceCheck({ id, buyerId: anna.id, dealershipId: fremont.id });
    expect(await refusal([wrong, sound])).toBe(
      'line 1: priceCheck.dealershipId: names no dealership of this file or of the database',
    );
  });
});

describe('an import', () => {
  let database: TestDatabase;
  const anna = buyer();
  const shop = dealership();
  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, [anna, shop]);
  });
  afterAll(() => database.drop());

  const refusal = (records: readonly object[] | string): Promise<string> =>
    refusalOf(database, records);

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

/** How many rows each table has, and the newest stamps. */
async function everything(database: TestDatabase): Promise<unknown> {
  return database.query(`SELECT
    (SELECT count(*) FROM buyer) AS buyers, (SELECT count(*) FROM dealership) AS dealerships,
    (SELECT count(*) FROM buyer_session) AS sessions, (SELECT count(*) FROM assistant_grant) AS grants,
    (SELECT count(*) FROM deal_set) AS sets, (SELECT count(*) FROM price_check) AS checks,
    (SELECT count(*) FROM question) AS questions, (SELECT count(*) FROM draft) AS drafts,
    (SELECT count(*) FROM reply) AS replies, (SELECT count(*) FROM request_feed) AS feed,
    (SELECT max(feed_at)::text FROM request_feed) AS newest`);
}
