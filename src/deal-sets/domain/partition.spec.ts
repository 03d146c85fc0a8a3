import fc from 'fast-check';
import { priceCheckFacts } from '../../../test/builders/arbitrary-facts.js';
import { summarize } from './partition.js';

const ended = { ended: 'closed_with_price', isArchived: false } as const;
const withoutPrice = { ...ended, otdCents: null, sellingPriceCents: null, writtenAt: null };
const withPrice = { ...ended, otdCents: 5, writtenAt: '2026-11-01T10:00:00.000Z' };

describe('summarize', () => {
  it('counts a row closed with a price as that, also where the price is not in writing', () => {
    fc.assert(
      fc.property(priceCheckFacts, (row) => {
        expect(
          summarize([
            { ...row, ...withoutPrice },
            { ...row, ...withPrice },
            { ...row, ...withPrice, ended: 'sold' },
            { ...row, ...withoutPrice, ended: 'no_price' },
            { ...row, ...withPrice, isArchived: true },
          ]),
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
