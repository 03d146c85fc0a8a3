import fc from 'fast-check';
import { priceCheckFacts } from '../../../test/builders/arbitrary-facts.js';
import { compareCodePoints, compareUnranked, partition, rank, summaryOf } from './ranking.js';
import { NEW_PRICE_CHECK, type PriceCheckFacts } from './facts.js';
import { isRanked } from './row-state.js';

const rows = fc.uniqueArray(priceCheckFacts, { maxLength: 30, selector: (row) => row.id });

describe('rank', () => {
  it('ranks every written row that is not archived, each once', () => {
    fc.assert(
      fc.property(rows, (facts) => {
        const ranked = rank(facts).flatMap((group) => group.rows.map((row) => row.id));
        expect([...ranked].sort()).toEqual(
          facts
            .filter(isRanked)
            .map((row) => row.id)
            .sort(),
        );
      }),
    );
  });

  it('puts the lowest price of all first', () => {
    fc.assert(
      fc.property(rows, (facts) => {
        const prices = facts.filter(isRanked).map((row) => row.otdCents ?? 0);
        expect(rank(facts)[0]?.rows[0].otdCents ?? null).toBe(
          prices.length > 0 ? prices.reduce((lowest, price) => Math.min(lowest, price)) : null,
        );
      }),
    );
  });

  it('orders rows in a group by price, then the earlier writing, then the id', () => {
    fc.assert(
      fc.property(rows, (facts) => {
        for (const { rows: group } of rank(facts)) {
          const keys = group.map(
            (row) => `${String(row.otdCents).padStart(20, '0')} ${String(row.writtenAt)} ${row.id}`,
          );
          expect(keys).toEqual([...keys].sort());
        }
      }),
    );
  });

  it('orders groups by their lowest price, then by trim, the unknown trim last', () => {
    fc.assert(
      // Prices are seldom equal by chance.
      fc.property(rows, fc.boolean(), (found, isOnePrice) => {
        const facts = isOnePrice
          ? found.map((row) => ({ ...row, otdCents: row.otdCents === null ? null : 3_000_000 }))
          : found;
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
      }),
    );
  });

  it('does not depend on the order in which rows come', () => {
    fc.assert(
      fc.property(
        rows.chain((facts) =>
          fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
        ),
        ([facts, shuffled]) => {
          expect(rank(shuffled)).toEqual(rank(facts));
        },
      ),
    );
  });
});

const row = (id: string, over: Partial<PriceCheckFacts> = {}): PriceCheckFacts => ({
  ...NEW_PRICE_CHECK,
  id,
  otdCents: 3_000_000,
  writtenAt: '2026-11-02T10:00:00.000Z',
  ...over,
});
const idsOf = (rows: readonly PriceCheckFacts[]): string[] => rows.map(({ id }) => id);

describe('rows of one price', () => {
  it('are ranked by the earlier writing, then by the id', () => {
    const [group] = rank([
      row('a'),
      row('d', { writtenAt: '2026-11-02T10:00:00.001Z' }),
      row('c', { writtenAt: '2026-11-01T10:00:00.000Z' }),
      row('b'),
      row('e', { otdCents: 2_999_999, writtenAt: '2026-11-03T10:00:00.000Z' }),
    ]);
    expect(idsOf(group?.rows ?? [])).toEqual(['e', 'c', 'a', 'b', 'd']);
  });
});

describe('compareUnranked', () => {
  it('orders rows with a price in writing first, by price, then all by id', () => {
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
  it('orders as UTF-8 bytes do, which is how the database orders', () => {
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
          ['', ''],
        ],
      },
    );
  });
});

const ended = { ended: 'closed_with_price', isArchived: false } as const;
const withoutPrice = { ...ended, otdCents: null, sellingPriceCents: null, writtenAt: null };
const withPrice = { ...ended, otdCents: 5, writtenAt: '2026-11-01T10:00:00.000Z' };

describe('summaryOf', () => {
  it('counts a row closed with a price as that, also where the price is not in writing', () => {
    fc.assert(
      fc.property(priceCheckFacts, (row) => {
        expect(
          summaryOf(
            partition([
              { ...row, ...withoutPrice },
              { ...row, ...withPrice },
              { ...row, ...withPrice, ended: 'sold' },
              { ...row, ...withoutPrice, ended: 'no_price' },
              { ...row, ...withPrice, isArchived: true },
            ]),
          ),
        ).toEqual({
          written: 0,
          waiting: 0,
          differentCar: 0,
          ended: 4,
          endedWithPrice: 3,
          closedWithPrice: 2,
        });
      }),
      { numRuns: 10 },
    );
  });
});
