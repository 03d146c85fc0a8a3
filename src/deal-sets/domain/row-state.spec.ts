import fc from 'fast-check';
import { priceCheckFacts } from '../../../test/builders/arbitrary-facts.js';
import { hasWrittenPrice, rowFlags, rowState } from './row-state.js';

const facts = { ended: null, answer: null, otdCents: null, writtenAt: null } as const;
const writtenAt = '2026-11-01T10:00:00.000Z';

describe('rowState', () => {
  it.each([
    ['waits without an answer', facts, 'waiting'],
    ['waits while the price is not in writing', { ...facts, otdCents: 100 }, 'waiting'],
    ['is written with a price in writing', { ...facts, otdCents: 100, writtenAt }, 'written'],
    ['is written at a price of zero', { ...facts, otdCents: 0, writtenAt }, 'written'],
    [
      'is another car even with a price',
      { ...facts, otdCents: 100, writtenAt, answer: 'different_car' },
      'different_car',
    ],
    [
      'stays ended after any earlier state',
      { ...facts, otdCents: 100, writtenAt, answer: 'different_car', ended: 'sold' },
      'ended',
    ],
  ] as const)('%s', (_what, row, state) => expect(rowState(row)).toBe(state));
});

describe('rowFlags', () => {
  it('never lets a row be both chosen and unlocked', () => {
    fc.assert(
      fc.property(priceCheckFacts, (row) => {
        const { hidden, canChoose, canUnlock } = rowFlags(row);
        expect(canChoose && canUnlock).toBe(false);
        if (row.isChosen || row.isArchived || rowState(row) !== 'written') {
          expect([canChoose, canUnlock]).toEqual([false, false]);
        } else {
          expect(canUnlock).toBe(hidden);
          expect(canChoose).toBe(!hidden);
        }
        expect(hidden).toBe(!row.isSeen);
      }),
    );
  });

  it('takes a price for written only with the time of its writing', () => {
    expect(hasWrittenPrice({ ...facts, otdCents: 100 })).toBe(false);
    expect(hasWrittenPrice({ ...facts, otdCents: 100, writtenAt })).toBe(true);
  });
});
