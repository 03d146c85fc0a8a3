import fc from 'fast-check';
import {
  NEW_PRICE_CHECK,
  priceCheckFacts,
  withDerivedFacts,
} from '../../../test/builders/arbitrary-facts.js';
import { compareCodePoints, compareUnranked, partition, rank, summaryOf } from './ranking.js';
import type { PriceCheckFacts } from './facts.js';

/** Random rows. In some of the cases, all prices are equal, because random prices rarely are. */
const rows = fc
  .tuple(
    fc.uniqueArray(priceCheckFacts, { maxLength: 30, selector: (row) => row.id }),
    fc.boolean(),
  )
  .map(([found, isOnePrice]) =>
    found.map((row) =>
      isOnePrice && row.otdCents !== null ? { ...row, otdCents: 3_000_000 } : row,
    ),
  );
const isRanked = (row: PriceCheckFacts): boolean => row.state === 'written' && !row.isArchived;
const forArbitraryRows = (check: (facts: PriceCheckFacts[]) => void): void =>
  fc.assert(fc.property(rows, check));

describe('rank', () => {
  it('ranks every written row that is not archived exactly once', () => {
    forArbitraryRows((facts) => {
      const ranked = rank(facts).flatMap((group) => idsOf(group.rows));
      expect(ranked.sort()).toEqual(idsOf(facts.filter(isRanked)).sort());
    });
  });

  it('puts the lowest price of all first', () => {
    forArbitraryRows((facts) => {
      const prices = facts.filter(isRanked).map((row) => row.otdCents!);
      expect(rank(facts)[0]?.rows[0].otdCents ?? Infinity).toBe(Math.min(...prices));
    });
  });

  it('orders the rows of a group by price, then by time of writing, then by id', () => {
    forArbitraryRows((facts) => {
      for (const { rows: group } of rank(facts)) {
        const keys = group.map(
          (row) => `${String(row.otdCents).padStart(20, '0')} ${String(row.writtenAt)} ${row.id}`,
        );
        expect(keys).toEqual([...keys].sort());
      }
    });
  });

  it('orders groups by their lowest price, then by trim, the unknown trim last', () => {
    const equal = [row('a'), row('b', { trim: 'LX' }), row('c', { trim: 'EX' })];
    expect(rank(equal).map(({ trim }) => trim)).toEqual(['EX', 'LX', null]);
    forArbitraryRows((facts) => {
      const groups = rank(facts);
      groups.slice(1).forEach((group, index) => {
        const before = groups[index]!;
        const gap = group.rows[0].otdCents - before.rows[0].otdCents;
        expect(gap).toBeGreaterThanOrEqual(0);
        if (gap > 0) return;
        expect(before.trim).not.toBeNull();
        if (group.trim !== null)
          expect(compareCodePoints(before.trim!, group.trim)).toBeLessThan(0);
      });
    });
  });

  it('does not depend on the order in which rows come', () => {
    forArbitraryRows((facts) => expect(rank([...facts].reverse())).toEqual(rank(facts)));
  });
});

const row = (id: string, over: Partial<PriceCheckFacts> = {}): PriceCheckFacts =>
  withDerivedFacts({
    ...NEW_PRICE_CHECK,
    id,
    otdCents: 3_000_000,
    writtenAt: '2026-11-02T10:00:00.000Z',
    ...over,
  });
const idsOf = (rows: readonly PriceCheckFacts[]): string[] => rows.map(({ id }) => id);

describe('compareUnranked', () => {
  it('orders rows with a written price first, by price, then all by id', () => {
    const rows = [
      row('f', { otdCents: null, writtenAt: null }),
      row('b', { otdCents: 1, writtenAt: null }),
      row('e', { ended: 'sold' }),
      row('c', { ended: 'no_price', writtenAt: '2026-11-01T10:00:00.000Z' }),
      row('d', { ended: 'sold', otdCents: 2_000_000 }),
      row('a', { otdCents: null, writtenAt: null }),
    ];
    const expected = ['d', 'c', 'e', 'a', 'b', 'f'];
    expect(idsOf([...rows].sort(compareUnranked))).toEqual(expected);
    expect(idsOf([...rows].reverse().sort(compareUnranked))).toEqual(expected);
  });
});

describe('compareCodePoints', () => {
  it('uses the order of UTF-8 bytes, which is the order of the database', () => {
    const unicode = fc.string({ unit: 'binary', maxLength: 6 });
    fc.assert(
      fc.property(unicode, unicode, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(
          Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
        );
      }),
      {
        examples: [
          ['\uffff', '\u{10000}'],
          ['a', 'ab'],
        ],
      },
    );
  });
});

describe('summaryOf', () => {
  it('counts a row closed with a price as such, and each ended row with a price in writing', () => {
    const unwritten = { otdCents: null, writtenAt: null };
    const rows = [
      row('a', { ...unwritten, ended: 'timed_out' }),
      row('b', { ended: 'closed_with_price' }),
      row('c', { ended: 'sold' }),
      row('d', { ...unwritten, ended: 'no_price' }),
      row('e', { ended: 'closed_with_price', isArchived: true }),
    ];
    expect(summaryOf(partition(rows))).toEqual({
      written: 0,
      waiting: 0,
      differentCar: 0,
      ended: 4,
      endedWithPrice: 2,
      closedWithPrice: 1,
    });
  });

  it('counts no price for a different car', () => {
    const rows = [
      row('a', { answer: 'different_car', ended: 'closed_with_price' }),
      row('b', { answer: 'different_car', ended: 'no_price' }),
      row('c', { answer: 'different_car', ended: 'sold' }),
      row('d', { answer: 'different_car' }),
    ];
    expect(summaryOf(partition(rows))).toEqual({
      written: 0,
      waiting: 0,
      differentCar: 1,
      ended: 3,
      endedWithPrice: 0,
      closedWithPrice: 0,
    });
  });
});
