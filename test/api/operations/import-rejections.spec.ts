import { randomUUID } from 'node:crypto';
import { ImportRejectedError } from '../../../src/operations/import/records/problems.js';
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
import { contents } from './contents.js';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const INVISIBLE = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]$/u;

const [anna, ben, shop] = [buyer(), buyer(), dealership()];
const keys = { buyerId: anna.id, dealershipId: shop.id };
const ofAnna = { buyerId: anna.id };
const ofBen = { buyerId: ben.id };
const set = dealSet(ofAnna);
const row = priceCheck({ ...keys, dealSetId: set.id });
const bensSingle = priceCheck({ ...keys, ...ofBen });
const [login, approval] = [session(ofAnna), grant(ofAnna)];
const ofRow = { priceCheckId: row.id };
const [askedQuestion, drafted, heard] = [question(ofRow), draft(ofRow), reply(ofRow)];
const stored = [
  anna,
  ben,
  shop,
  set,
  row,
  bensSingle,
  login,
  approval,
  askedQuestion,
  drafted,
  heard,
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, stored);
});
afterAll(() => database.drop());

/** The message with which an import is rejected; asserts that it keeps nothing. */
async function rejectionOf(
  records: readonly object[] | string,
  isBackfill = false,
): Promise<string> {
  const before = await contents(database);
  const problem: unknown = await load(database, records, { isBackfill }).catch(
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(ImportRejectedError);
  expect(await contents(database)).toEqual(before);
  return (problem as ImportRejectedError).message;
}

describe('an import', () => {
  it.each([
    ['session.buyerId', 'buyer', session({ buyerId: UNKNOWN })],
    ['grant.buyerId', 'buyer', grant({ buyerId: UNKNOWN })],
    ['dealSet.buyerId', 'buyer', dealSet({ buyerId: UNKNOWN })],
    ['priceCheck.buyerId', 'buyer', priceCheck({ ...keys, buyerId: UNKNOWN })],
    ['priceCheck.dealershipId', 'dealership', priceCheck({ ...keys, dealershipId: UNKNOWN })],
    ['priceCheck.dealSetId', 'dealSet', priceCheck({ ...keys, dealSetId: UNKNOWN })],
    ['question.priceCheckId', 'priceCheck', question({ priceCheckId: UNKNOWN })],
    ['draft.priceCheckId', 'priceCheck', draft({ priceCheckId: UNKNOWN })],
    ['reply.priceCheckId', 'priceCheck', reply({ priceCheckId: UNKNOWN })],
  ])('rejects a %s that names no %s', async (key, kind, wrong) => {
    expect(await rejectionOf([buyer(), wrong])).toBe(
      `line 2: ${key}: is not the id of a ${kind} in this file or in the database`,
    );
  });

  it.each([
    ['dealSet', dealSet({ ...ofBen, id: set.id })],
    ['priceCheck', priceCheck({ ...keys, ...ofBen, id: row.id })],
    ['session', session({ ...ofBen, id: login.id })],
    ['grant', grant({ ...ofBen, id: approval.id })],
    ['question', question({ id: askedQuestion.id, priceCheckId: bensSingle.id })],
    ['draft', draft({ id: drafted.id, priceCheckId: bensSingle.id })],
    ['reply', reply({ id: heard.id, priceCheckId: bensSingle.id })],
  ])("rejects a %s under the id of another buyer's record", async (record, wrong) => {
    expect(await rejectionOf([buyer(), wrong])).toBe(
      `line 2: ${record}.id: belongs to another buyer (in the database)`,
    );
  });

  const SECOND_GRANT =
    'grant.clientId: already has a grant of this buyer that is neither revoked nor expired';
  const HASH_TWICE = 'session.tokenSha256: is already the token of another session';
  const tokenSha256 = 'ab'.repeat(32);
  const id = randomUUID();
  it.each<[reason: string, what: string, before: object, wrong: object]>([
    [
      "priceCheck.dealSetId: is another buyer's deal set",
      'whose set is stored',
      buyer(),
      priceCheck({ ...keys, ...ofBen, dealSetId: set.id }),
    ],
    [
      'dealSet.id: belongs to another buyer',
      'in line 1',
      dealSet({ ...ofAnna, id }),
      dealSet({ ...ofBen, id }),
    ],
    [SECOND_GRANT, 'in the database', buyer(), grant({ ...ofAnna, clientId: approval.clientId })],
    [SECOND_GRANT, 'in line 1', grant(ofBen), grant(ofBen)],
    [HASH_TWICE, 'in the database', buyer(), session({ ...ofBen, tokenSha256: login.tokenSha256 })],
    [
      HASH_TWICE,
      'in line 1',
      session({ ...ofBen, tokenSha256 }),
      session({ ...ofBen, tokenSha256 }),
    ],
    // The rules of a single line are in `parse-line.spec.ts`.
    ['buyer.name: is not a key of this record', 'known', buyer(), { ...buyer(), name: 'Anna' }],
    ['dealership.name: must not be blank', 'seen', buyer(), dealership({ name: '\u3164' })],
    [
      'dealSet.car.make: must not be blank',
      'seen',
      buyer(),
      dealSet({ ...ofAnna, car: { year: 2026, make: '\u200b\u2060 \ufeff', model: 'A' } }),
    ],
  ])('rejects the whole file because %s (%s)', async (reason, what, before, wrong) => {
    const where = what.startsWith('in ') ? ` (${what})` : '';
    expect(await rejectionOf([before, wrong])).toBe(`line 2: ${reason}${where}`);
  });

  it.each<[what: string, text: string, message: string | RegExp]>([
    [
      'breaks off',
      `${ndjson([buyer()])}{"record":"buy`,
      'line 2: must be valid JSON, one JSON object on each line',
    ],
    [
      'lacks lines of its closing record',
      `${ndjson([buyer(), buyer()])}{"record":"end","records":3}\n`,
      'line 3: end.records: must be 2, the number of records before it; the file may be incomplete',
    ],
    [
      'goes on after its closing record',
      `{"record":"end","records":0}\n${ndjson([buyer()])}`,
      'line 2: must not follow the closing record',
    ],
    [
      'has a second closing record',
      '{"record":"end","records":0}\n{"record":"end","records":0}\n',
      'line 2: must not follow the closing record',
    ],
    ...[
      JSON.stringify(buyer(), null, 2),
      `[\n${JSON.stringify(buyer())}\n]`,
      `\n${JSON.stringify([buyer()])}`,
    ].map((text): [string, string, RegExp] => [
      'is pretty-printed or an array',
      text,
      /^line [12]: must be one JSON object on each line, not an array and not pretty-printed$/,
    ]),
  ])('rejects a file that %s', async (_what, text, message) => {
    const rejection = await rejectionOf(text);
    if (typeof message === 'string') expect(rejection).toBe(message);
    else expect(rejection).toMatch(message);
  });

  it.each([
    [
      'Lake\u202eside',
      'must not contain control characters or marks that change the direction of text',
    ],
    [
      'Lake\u0007side',
      'must not contain control characters or marks that change the direction of text',
    ],
    ['Bob&#39;s Auto', 'must not contain an HTML entity: write the character itself'],
    ['<b>Lake</b>side Motors', 'must not contain an HTML tag'],
    [' ', 'must not be blank'],
    ['x'.repeat(301), 'must be text of 1 to 300 characters, not blank'],
  ])('rejects the name %j of a dealership', async (name, reason) => {
    expect(await rejectionOf([dealership({ name })])).toBe(`line 1: dealership.name: ${reason}`);
  });

  it.each([
    ['question', 'textWhileHidden', 10_000],
    ['draft', 'bodyWhileHidden', 100_000],
  ])('rejects a blank and a long %s.%s', async (kind, key, longest) => {
    const build = kind === 'question' ? question : draft;
    const with_ = (text: string): Promise<string> =>
      rejectionOf([build({ ...ofRow, [key]: text })]);
    expect(await with_(' \n')).toBe(`line 1: ${kind}.${key}: must not be blank`);
    expect(await with_('x'.repeat(longest + 1))).toBe(
      `line 1: ${kind}.${key}: must be text of at most ${longest} characters, not blank`,
    );
  });

  it.each(['category', 'answerMode'])(
    'rejects a question.%s that does not begin with a letter',
    async (key) => {
      expect(await rejectionOf([question({ ...ofRow, [key]: '1st' })])).toBe(
        `line 1: question.${key}: must be 1 to 64 characters of A-Z a-z 0-9 _ . : -, beginning with a letter`,
      );
    },
  );

  it('rejects a file with a wrong line that a later one replaces', async () => {
    const wrong = priceCheck({ ...keys, dealershipId: UNKNOWN });
    expect(await rejectionOf([wrong, { ...wrong, dealershipId: shop.id }])).toBe(
      'line 1: priceCheck.dealershipId: is not the id of a dealership in this file or in the database',
    );
  });

  it('lists each kind of mistake once, with its number and its first lines', async () => {
    const nick = Array.from({ length: 1_500 }, () => ({ ...buyer(), nick: 'x' }));
    expect(await rejectionOf([...nick, { ...buyer(), id: '1' }, { ...buyer(), age: 5 }])).toBe(
      [
        'lines 1, 2, 3 and 1,497 more: buyer.nick: is not a key of this record',
        'line 1501: buyer.id: must be a UUID',
        'line 1502: buyer.age: is not a key of this record',
      ].join('\n'),
    );
    const dangling = Array.from({ length: 4 }, () => reply({ priceCheckId: UNKNOWN }));
    const [first, second] = [session({ buyerId: UNKNOWN }), session({ buyerId: UNKNOWN })];
    expect(await rejectionOf([...dangling, first, second])).toBe(
      [
        'lines 1, 2, 3 and 1 more: reply.priceCheckId: is not the id of a priceCheck in this file or in the database',
        'lines 5 and 6: session.buyerId: is not the id of a buyer in this file or in the database',
      ].join('\n'),
    );
    const details = Array.from({ length: 3 }, () => dealSet({ ...ofBen, id: set.id }));
    expect(await rejectionOf(details)).toBe(
      'lines 1, 2 and 3: dealSet.id: belongs to another buyer (line 1: in the database; line 2: in the database; line 3: in the database)',
    );
  });

  it('lists twenty kinds of mistakes, and the number of the others', async () => {
    const wrong = Array.from({ length: 30 }, (_, index) => ({ ...buyer(), [`key${index}`]: 1 }));
    const lines = (await rejectionOf(wrong)).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[20]).toBe('and 10 of other kinds');
  });

  const bensRow = priceCheck({ ...keys, ...ofBen, id: row.id });
  const cutExport = { ...heard, arrivedAt: '2026-01-01T00:00:00Z' };
  it.each<[what: string, file: object[] | string, message: string]>([
    [
      'the deal set of an unknown buyer',
      [priceCheck({ ...keys, buyerId: UNKNOWN, dealSetId: set.id })],
      'line 1: priceCheck.buyerId: is not the id of a buyer in this file or in the database',
    ],
    [
      'the deal set of a price check that is taken',
      [{ ...bensRow, dealSetId: set.id }],
      'line 1: priceCheck.id: belongs to another buyer (in the database)',
    ],
    [
      'rows of a deal set that is taken',
      [dealSet({ ...ofBen, id: set.id }), priceCheck({ ...keys, ...ofBen, dealSetId: set.id })],
      'line 1: dealSet.id: belongs to another buyer (in the database)',
    ],
    [
      'questions of a price check that is taken',
      [bensRow, { ...askedQuestion }],
      'line 1: priceCheck.id: belongs to another buyer (in the database)',
    ],
    [
      'the closing record of an export whose last line is cut off',
      `${JSON.stringify(cutExport)}\n{"record":"reply"`,
      'line 2: must be valid JSON, one JSON object on each line',
    ],
  ])('does not report what follows from another mistake: %s', async (_what, file, message) => {
    expect(await rejectionOf(file)).toBe(message);
  });

  it.each([false, true])(
    'rejects more than 200 requests of a buyer at one time (backfill: %s)',
    async (isBackfill) => {
      const at = '2026-02-01T00:00:00.123Z';
      const sets = Array.from({ length: 101 }, () =>
        dealSet({ ...ofBen, latestActivityAt: at.replace('Z', '4Z') }),
      );
      const singles = Array.from({ length: 100 }, () =>
        priceCheck({ ...keys, ...ofBen, latestActivityAt: at }),
      );
      expect(await rejectionOf([...sets, ...singles], isBackfill)).toBe(
        'line 201: priceCheck.latestActivityAt: is shared by more than 200 requests of this buyer',
      );
      await load(database, [...sets.slice(1), ...singles], { isBackfill, isDryRun: true });
    },
  );

  it('rejects a time that 200 stored requests already share', async () => {
    const cleo = buyer();
    const at = { buyerId: cleo.id, latestActivityAt: '2026-02-02T00:00:00Z' };
    const sets = Array.from({ length: 200 }, () => dealSet(at));
    await load(database, [cleo, ...sets], { isBackfill: true });
    await load(database, sets.slice(0, 10), { isBackfill: true });
    expect(await rejectionOf([dealSet(at)], true)).toBe(
      'line 1: dealSet.latestActivityAt: is shared by more than 200 requests of this buyer',
    );
  });

  it.each([
    ['with a later end', { expiresAt: '2999-01-01T00:00:00Z' }],
    ['without an end', { expiresAt: null }],
    ['and an earlier grantedAt', { expiresAt: null, grantedAt: '2025-12-31T00:00:00Z' }],
  ])('rejects an expired grant %s, unless its grantedAt is later', async (_what, values) => {
    const cleo = buyer();
    const expired = grant({ buyerId: cleo.id, expiresAt: '2026-02-01T00:00:00Z' });
    await load(database, [cleo, expired]);
    expect(await rejectionOf([{ ...expired, ...values }])).toBe(
      'line 1: grant.expiresAt: must not prolong a grant that has expired, unless `grantedAt` is later than before',
    );
    await load(database, [{ ...expired, ...values, grantedAt: '2026-02-02T00:00:00Z' }]);
  });

  it('rejects an unlockedAt more than a minute after the clock of the database', async () => {
    const { now } = (await database.query<{ now: Date }>('SELECT clock_timestamp() AS now'))[0]!;
    const check = (aheadMs: number): object =>
      priceCheck({ ...keys, unlockedAt: new Date(now.getTime() + aheadMs).toISOString() });
    await load(database, [check(30_000)]);
    expect(await rejectionOf([check(3_600_000)])).toBe(
      "line 1: priceCheck.unlockedAt: must not be more than 60 s ahead of the database's clock",
    );
  });
});

describe('the database', () => {
  it.each([
    `INSERT INTO deal_sets.dealership (id, name) VALUES (gen_random_uuid(), U&'\\3164\\00ad')`,
    `UPDATE deal_sets.deal_set SET car_make = E'\\t '`,
    `UPDATE deal_sets.deal_set SET car_model = ''`,
    // Years that do not have four digits.
    ...['infinity', '-infinity', '10000-01-01Z', '0001-12-31 BC'].flatMap((time) => [
      `UPDATE deal_sets.deal_set SET created_at = '${time}'`,
      `UPDATE deal_sets.assistant_grant SET expires_at = '${time}'`,
    ]),
  ])('rejects from other writers what an import rejects: %s', async (sql) => {
    await expect(database.query(sql)).rejects.toMatchObject({ code: '23514' });
  });

  it('counts the same characters as blank as the import does', async () => {
    // The domain's own condition, applied to every character.
    const [domain] = await database.query<{ condition: string }>(
      `SELECT pg_get_constraintdef(oid) AS condition FROM pg_constraint WHERE conname = 'not_blank'`,
    );
    const condition = domain!.condition.replace(/^CHECK /, '').replaceAll('VALUE', 'chr(code)');
    const blank = await database.query<{ code: number }>(
      `SELECT code FROM generate_series(1, 1114111) code
       WHERE code NOT BETWEEN 55296 AND 57343 AND NOT ${condition} ORDER BY code`,
    );
    const expected: number[] = [];
    for (let code = 1; code <= 0x10ffff; code += 1) {
      if (INVISIBLE.test(String.fromCodePoint(code))) expected.push(code);
    }
    expect(blank.map(({ code }) => code)).toEqual(expected);
  });
});
