import { fitList, RESULT_LIMIT } from './fit-result.js';

interface Fitted {
  readonly data: readonly { readonly id: number }[];
  readonly more: boolean;
  readonly asOf: string | null;
  readonly omitted?: { readonly entries: number };
  readonly next?: { readonly since: string };
}

const time = (second: number): string => new Date(second * 1000).toISOString();

/** Entries of ten kilobytes, of the given times. */
const bodyOf = (times: readonly (number | null)[]): string =>
  JSON.stringify({
    data: times.map((second, id) => ({
      id,
      latestActivityAt: second === null ? null : time(second),
      memberIds: ['é'.repeat(5_000)],
    })),
  });

function fitted(times: readonly (number | null)[], asOf: number | null): Fitted {
  const text = fitList({
    body: bodyOf(times),
    hasMore: false,
    asOf: asOf === null ? null : time(asOf),
  });
  return JSON.parse(text) as Fitted;
}

describe('a list as the result of a tool', () => {
  it('is the bytes of REST with what its headers say', () => {
    expect(fitList({ body: '{"data":[]}', hasMore: true, asOf: null })).toBe(
      '{"data":[],"more":true,"asOf":null}',
    );
  });

  it('stops at a whole entry and goes on after it', () => {
    const { data, ...said } = fitted([1, 2, 3, 4, 5, 6, 7, 8], 100);
    expect(data.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(said).toEqual({
      more: true,
      asOf: time(6),
      omitted: { entries: 2 },
      next: { since: time(6) },
    });
  });

  it('keeps entries of one time together', () => {
    const { data, asOf } = fitted([1, 2, 3, 4, 5, 5, 5, 8], 100);
    expect([data.length, asOf]).toEqual([4, time(4)]);
  });

  it('sends entries of one time whole where they are more than the limit', () => {
    const { data, omitted, asOf } = fitted([5, 5, 5, 5, 5, 5, 5, 8], 100);
    expect([data.length, omitted, asOf]).toEqual([7, { entries: 1 }, time(5)]);
  });

  it('goes on only between two entries whose times are known', () => {
    const unknownAfter = fitted([1, 2, 3, 4, 5, null, 7, 8], 100);
    expect([unknownAfter.data.length, unknownAfter.asOf]).toEqual([4, time(4)]);
    const unknownBefore = fitted([1, 2, 3, null, null, null, 7, 8], 100);
    expect([unknownBefore.data.length, unknownBefore.asOf]).toEqual([2, time(2)]);
  });

  it('sends all where no time is known', () => {
    const { data, omitted, asOf } = fitted(Array<null>(8).fill(null), 100);
    expect([data.length, omitted, asOf]).toEqual([8, undefined, time(100)]);
  });

  it('never names a later time than REST', () => {
    expect(fitted([1, 2, 3, 4, 50, 60, 70], 3).asOf).toBe(time(3));
  });

  it('names the way to read everything where there is no time to go on from', () => {
    const { data, ...said } = fitted([8, 7, 6, 5, 4, 3, 2, 1], null);
    expect(data).toHaveLength(6);
    expect(said).toEqual({
      more: true,
      asOf: null,
      omitted: { entries: 2 },
      next: { since: '1970-01-01T00:00:00Z' },
    });
  });

  it('is never over the limit when entries have times of their own', () => {
    const text = fitList({
      body: bodyOf(Array.from({ length: 25 }, (_, index) => index)),
      hasMore: true,
      asOf: time(99),
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_LIMIT);
  });
});
