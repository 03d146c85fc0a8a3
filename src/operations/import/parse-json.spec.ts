import 'reflect-metadata';
import fc from 'fast-check';
import { parseJson } from './parse-json.js';

const REJECTED = [0];
const read = (text: string): unknown => parseJson(text).value;

describe('parseJson', () => {
  it('returns what JSON.parse returns for text without a fraction or an exponent', () => {
    fc.assert(
      fc.property(
        fc.json().filter((text) => !/[0-9][.eE]/.test(text)),
        (text) => {
          expect(read(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it.each(['1.0', '1e3', '1E3', '1e-3', '-1.5', '2025.0000000000000000001'])(
    'replaces the number %s of an integer key',
    (number) => {
      expect(read(`{"a": "x", "otdCents" :\n ${number}, "b": {"year":7}}`)).toEqual({
        a: 'x',
        otdCents: REJECTED,
        b: { year: 7 },
      });
    },
  );

  it('leaves the numbers of keys that accept fractions, however the key is written', () => {
    expect(read('{"distanceMiles":1.5,"radius\\u004diles":2.5e1,"year":1.5}')).toEqual({
      distanceMiles: 1.5,
      radiusMiles: 25,
      year: REJECTED,
    });
  });

  it('recognises an integer key that is written with escapes', () => {
    expect(read('{"y\\u0065ar":2025.0}')).toEqual({ year: REJECTED });
  });

  it('leaves text that looks like a member unchanged', () => {
    const value = { text: 'a"year":1.5', b: '"year" : 2e3\\', c: ['":1.5', '\\"'], year: 5 };
    expect(read(JSON.stringify(value))).toEqual(value);
  });

  it('finds every fraction among hostile keys and texts', () => {
    const key = fc.constantFrom('year', 'distanceMiles', 'a"b', 'x\\', '":1.5,"', '');
    const leaf = fc.constantFrom<unknown>(1.5, 1, 'a', '":2.5', '\\', '"', -0.25, 1e300, null);
    const record = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)));
    const expected = (value: unknown, key = ''): unknown => {
      if (typeof value === 'number') {
        const isRejected = /[.e]/.test(String(value)) && key !== 'distanceMiles';
        return isRejected ? REJECTED : value;
      }
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expected(v, k)]));
    };
    fc.assert(
      fc.property(record, fc.constantFrom(0, 2), (value, space) => {
        const exact = read(JSON.stringify(value, null, space));
        expect(JSON.stringify(exact)).toBe(JSON.stringify(expected(value)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads a long text beside a fraction quickly', () => {
    const line = JSON.stringify({ body: '\\":1.5 '.repeat(200_000), otdCents: 1.5 });
    expect(read(line)).toMatchObject({ otdCents: REJECTED });
  });

  it('throws for invalid JSON', () => {
    expect(() => read('{"year":2025.}')).toThrow(SyntaxError);
  });
});
