import 'reflect-metadata';
import { parseLine } from './parse-line.js';
import type { Problem } from './problems.js';

const NOW_MS = Date.parse('2026-06-01T00:00:00Z');
const ID = '00000000-0000-4000-8000-000000000001';

function read(text: string): { record: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  const record = parseLine({ number: 7, text }, NOW_MS, (problem) => problems.push(problem));
  return { record, problems };
}

const dealSet = {
  record: 'dealSet',
  id: ID,
  buyerId: ID,
  car: { year: 2025, make: 'Honda', model: 'CR-V' },
  createdAt: '2026-01-01T00:00:00Z',
};

describe('parseLine', () => {
  it('gives the record of a sound line', () => {
    const { record, problems } = read(JSON.stringify(dealSet));
    expect(problems).toEqual([]);
    expect(record).toEqual(dealSet);
  });

  it.each([
    ['{', undefined, 'must be valid JSON'],
    ['[]', undefined, 'must be a JSON object'],
    ['null', undefined, 'must be a JSON object'],
    ['7', undefined, 'must be a JSON object'],
  ])('refuses the line %s', (text, key, reason) => {
    expect(read(text)).toEqual({ record: null, problems: [{ line: 7, key, reason }] });
  });

  it.each(['{}', '{"record":"toString"}', '{"record":["buyer"]}', '{"record":"Buyer"}'])(
    'refuses %s for its kind of record',
    (text) => {
      const { record, problems } = read(text);
      expect(record).toBeNull();
      expect(problems).toEqual([
        {
          line: 7,
          key: 'record',
          reason:
            'must be one of buyer, dealership, session, grant, dealSet, priceCheck, question, draft, reply',
        },
      ]);
    },
  );

  it('names the kind of record and the key in each problem', () => {
    const { problems } = read(JSON.stringify({ ...dealSet, id: 5, extra: 1 }));
    expect(problems.map(({ key }) => key)).toEqual(['dealSet.extra', 'dealSet.id']);
  });

  it('refuses a latestActivityAt in the future, to the millisecond', () => {
    const at = (time: string): unknown =>
      read(JSON.stringify({ ...dealSet, latestActivityAt: time })).problems;
    expect(at('2026-06-01T00:00:00.000Z')).toEqual([]);
    expect(at('2026-06-01T00:00:00.001Z')).toEqual([
      { line: 7, key: 'dealSet.latestActivityAt', reason: 'must not lie in the future' },
    ]);
  });

  it('says nothing of the values themselves', () => {
    const { problems } = read('{"record":"buyer","id":"secret-value"}');
    expect(JSON.stringify(problems)).not.toContain('secret-value');
  });
});
