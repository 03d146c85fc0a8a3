import 'reflect-metadata';
import { WORLD_DEFAULTS } from '../../../../test/world/world-options.js';
import { generateWorld } from '../../../../test/world/world-generator.js';
import { parseLine } from './parse-line.js';
import type { Problem } from '../records/problems.js';
import { RECORD_KINDS } from '../records/records.js';
import { recordOf, rowOf } from '../records/record-tables.js';

const NOW_MS = Date.parse('2026-06-01T00:00:00Z');
const ID = '00000000-0000-4000-8000-000000000001';

function read(text: string, nowMs = NOW_MS): { record: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const record = parseLine({ number: 7, text }, nowMs, (problem) => problems.push(problem));
  return { record, problems };
}

/** The problems of a record, one line each. */
const problemsOf = (record: object): string[] =>
  read(JSON.stringify(record)).problems.map(({ key, reason }) => `${key}: ${reason}`);

const dealSet = {
  record: 'dealSet',
  id: ID,
  buyerId: ID,
  car: { year: 2025, make: 'Honda', model: 'CR-V' },
  createdAt: '2026-01-01T00:00:00Z',
};

describe('parseLine', () => {
  it('returns the record of a valid line', () => {
    const { record, problems } = read(JSON.stringify(dealSet));
    expect(problems).toEqual([]);
    expect(record).toEqual(dealSet);
  });

  it('accepts the records of a generated world, of every kind', () => {
    const kinds = new Set<string>();
    for (const record of generateWorld({ ...WORLD_DEFAULTS, buyers: 10, seed: 'lines' })) {
      kinds.add(record.record);
      expect(read(JSON.stringify(record), Date.now()).problems).toEqual([]);
    }
    expect([...kinds].sort()).toEqual([...RECORD_KINDS].sort());
  });

  it('returns a row with its times in UTC, floored to the millisecond, from which the record is made again', () => {
    const createdAt = '2026-03-01T01:00:00.9999999+02:00';
    const row = rowOf({ ...dealSet, record: 'dealSet', createdAt });
    const stored = { ...dealSet, createdAt: '2026-02-28T23:00:00.999Z' };
    expect(row).toMatchObject({ car_year: 2025, created_at: stored.createdAt });
    expect(recordOf('dealSet', row)).toEqual(stored);
  });

  it('rejects undeclared keys, including those that every object inherits', () => {
    const text = JSON.stringify(dealSet).replace(
      '{',
      '{"constructor":1,"__proto__":{"toString":1},"a\\u001bb":1,',
    );
    expect(read(text).problems.map(({ key, reason }) => `${key}: ${reason}`)).toEqual([
      'dealSet.constructor: is not a key of this record',
      'dealSet.__proto__: is not a key of this record',
      'dealSet."a?b": is not a key of this record',
    ]);
  });

  it('names a key that is missing, null or of the wrong type, also inside a nested object', () => {
    const { id: _id, ...rest } = dealSet;
    const car = { year: '2025', make: 'Honda', extra: 1 };
    expect(problemsOf({ ...rest, buyerId: null, car })).toEqual([
      'dealSet.id: is missing',
      'dealSet.buyerId: must be a UUID',
      'dealSet.car.year: must be an integer from 1886 to 2100',
      'dealSet.car.model: is missing',
      'dealSet.car.extra: is not a key of this record',
    ]);
  });

  it.each([
    [{ createdat: 'x' }, 'createdat', 'createdAt'],
    [{ buyer_zip: 'x' }, 'buyer_zip', 'buyerZip'],
    [{ car: { ...dealSet.car, exteriorcolor: 'x' } }, 'car.exteriorcolor', 'exteriorColor'],
  ])('names the key that was probably meant: %j', (keys, key, meant) => {
    expect(problemsOf({ ...dealSet, ...keys })).toEqual([
      `dealSet.${key}: is not a key of this record: write ${meant}`,
    ]);
  });

  it.each([['x'], [7], [[]], [[{}]], [null]])('rejects %j in place of an object', (car) => {
    expect(read(JSON.stringify({ ...dealSet, car })).problems).toEqual([
      { line: 7, key: 'dealSet.car', reason: 'must be an object' },
    ]);
  });

  it('rejects a duplicate key at any depth', () => {
    const reason = 'must not have a key twice';
    const text = JSON.stringify(dealSet);
    for (const [doubled, detail] of [
      [text.replace('{', `{"id":"${ID}",`), 'id'],
      [text.replace('"year"', '"ye\\u0061r":2024,"year"'), 'year'],
      [text.replace('"CR-V"', '"a \\"b\\": c"').replace('"make"', '"make":"x","make"'), 'make'],
    ] as const) {
      expect(read(doubled)).toEqual({ record: null, problems: [{ line: 7, reason, detail }] });
    }
    expect(read(text.replace('"CR-V"', '"a \\"b\\": c"')).problems).toEqual([]);
  });

  it('rejects a value that is nested very deeply', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(read(JSON.stringify(dealSet).replace('"Honda"', deep)).problems).toEqual([
      {
        line: 7,
        key: 'dealSet.car.make',
        reason: 'must be text of at most 200 characters, not blank',
      },
    ]);
  });

  it.each([
    ['{}{}', 'must be valid JSON, one JSON object on each line'],
    ['[]', 'must be a JSON object, one JSON object on each line'],
    ['null', 'must be a JSON object, one JSON object on each line'],
    ['7', 'must be a JSON object, one JSON object on each line'],
  ])('rejects the line %s', (text, reason) => {
    expect(read(text)).toEqual({ record: null, problems: [{ line: 7, reason }] });
  });

  it.each(['{}', '{"record":"toString"}', '{"record":["buyer"]}', '{"record":"Buyer"}'])(
    'rejects %s for its kind of record',
    (text) => {
      const reason = `must be one of ${RECORD_KINDS.join(', ')}, erasedBuyer, end`;
      expect(read(text)).toEqual({
        record: null,
        problems: [{ line: 7, key: 'record', reason }],
      });
    },
  );

  const priceCheck = {
    record: 'priceCheck',
    id: ID,
    buyerId: ID,
    dealershipId: ID,
    listing: {},
    requestedAt: '2026-01-01T00:00:00Z',
  };
  const written = { otdCents: 1, writtenAt: '2026-01-02T00:00:00Z' };
  const endedAt = '2026-01-02T00:00:00Z';
  const FUTURE = 'latestActivityAt: must not be in the future';
  const AHEAD = "must not be more than 60 s ahead of the database's clock";
  const NEEDS_ENDED = 'endedAt: requires `ended`, which states how the price check ended';
  const UNWRITTEN = 'ended: is closed_with_price without a price in writing (`writtenAt`)';
  const BESIDE_PRICE = 'ended: is no_price although there is a price in writing for the same car';
  const OF_THE_SET = "must be absent beside `dealSetId`: the deal set's record has this key";
  const closed = { ended: 'closed_with_price' };
  const noPrice = { ended: 'no_price', price: written };

  it.each<[keys: object, problem: string | null]>([
    [{ latestActivityAt: '2026-06-01T00:00:00.000Z' }, null],
    [{ latestActivityAt: '2026-06-01T00:00:00.001Z' }, FUTURE],
    [{ unlockedAt: '2026-06-01T00:01:00.000Z' }, null],
    [{ unlockedAt: '2026-06-01T00:01:00.001Z' }, `unlockedAt: ${AHEAD}`],
    [{ chosenAt: '2026-06-01T00:01:00.000Z' }, null],
    [{ chosenAt: '2026-06-01T00:01:00.001Z' }, `chosenAt: ${AHEAD}`],
    [{ endedAt }, NEEDS_ENDED],
    [{ endedAt, ended: null }, NEEDS_ENDED],
    [{ endedAt, ended: 'sold' }, null],
    [{ ended: 'sold' }, null],
    [closed, UNWRITTEN],
    [{ ...closed, price: { otdCents: 1 } }, UNWRITTEN],
    [{ ...closed, price: written }, null],
    [{ ...closed, price: written, answer: 'different_car' }, null],
    [{ dealSetId: ID }, null],
    [{ dealSetId: ID, latestActivityAt: null, recordedAt: null }, null],
    [{ dealSetId: null, latestActivityAt: '2026-01-02T00:00:00Z' }, null],
    [
      { dealSetId: ID, latestActivityAt: '2026-01-02T00:00:00Z' },
      `latestActivityAt: ${OF_THE_SET}`,
    ],
    [{ dealSetId: ID, recordedAt: '2026-01-02T00:00:00Z' }, `recordedAt: ${OF_THE_SET}`],
    [noPrice, BESIDE_PRICE],
    [{ ...noPrice, answer: 'same_car' }, BESIDE_PRICE],
    [{ ...noPrice, answer: 'different_car' }, null],
    [{ ...noPrice, price: { otdCents: 1 } }, null],
  ])('finds the contradiction in a price check with %j: %s', (keys, problem) => {
    const expected = problem === null ? [] : [`priceCheck.${problem}`];
    expect(problemsOf({ ...priceCheck, ...keys })).toEqual(expected);
  });

  it('names every time that contradicts the clock or the other keys', () => {
    const times = { unlockedAt: '2027-01-01T00:00:00Z', chosenAt: '2027-01-01T00:00:00Z' };
    expect(problemsOf({ ...priceCheck, ...times })).toEqual([
      `priceCheck.unlockedAt: ${AHEAD}`,
      `priceCheck.chosenAt: ${AHEAD}`,
    ]);
    expect(problemsOf({ ...priceCheck, endedAt, ...noPrice, ended: null })).toEqual([
      `priceCheck.${NEEDS_ENDED}`,
    ]);
  });

  it.each([
    ['2026-06-01T00:01:00.000Z', []],
    ['2026-06-01T00:01:00.001Z', [`grant.grantedAt: ${AHEAD}`]],
  ])('compares the grantedAt of a grant with the clock: %s', (grantedAt, expected) => {
    const grant = { record: 'grant', id: ID, buyerId: ID, clientId: 'a', scopes: [], grantedAt };
    expect(problemsOf(grant)).toEqual(expected);
  });

  it.each(['2025.5', '2.025e2', '-1', '12345678901234567890', '"2025"'])(
    'rejects %s for an integer from 1886 to 2100',
    (number) => {
      const text = JSON.stringify(dealSet).replace('2025', number);
      const reason = 'must be an integer from 1886 to 2100';
      const key = 'dealSet.car.year';
      expect(read(text)).toEqual({ record: null, problems: [{ line: 7, key, reason }] });
    },
  );

  it.each(['2.025e3', '2025.0'])('accepts the integer %s, as JSON Schema does', (number) => {
    const text = JSON.stringify(dealSet).replace('2025', number);
    expect(read(text)).toEqual({ record: dealSet, problems: [] });
  });

  it.each([
    ['a\\u0000b', 'must not contain the character NUL (\\u0000)'],
    ['a\\ud800b', 'must not contain a lone surrogate (half of a character)'],
    ['\\u3164 \\ufe0f\\u00ad', 'must not be blank'],
    ['x'.repeat(201), 'must be text of at most 200 characters, not blank'],
  ])('reports the true reason for the text %s', (text, reason) => {
    const { problems } = read(JSON.stringify(dealSet).replace('CR-V', text));
    expect(problems).toEqual([{ line: 7, key: 'dealSet.car.model', reason }]);
  });

  it('reads a closing record', () => {
    expect(read('{"record":"end","records":3}')).toEqual({
      record: { record: 'end', records: 3 },
      problems: [],
    });
    expect(read('{"record":"end","records":3.5,"id":1}').problems.map(({ key }) => key)).toEqual([
      'end.records',
      'end.id',
    ]);
  });

  it('never repeats the values themselves', () => {
    const { problems } = read('{"record":"buyer","id":"secret-value"}');
    expect(JSON.stringify(problems)).not.toContain('secret-value');
  });
});
