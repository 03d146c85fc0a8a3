import fc from 'fast-check';
import { priceCheckFacts } from '../../../test/builders/arbitrary-facts.js';
import { dealSetSection, hasWrittenPrice, rowFlags, rowState, singleSection } from './row-state.js';

const facts = { ended: null, answer: null, otdCents: null, writtenAt: null } as const;
const written = { ...facts, otdCents: 100, writtenAt: '2026-11-01T10:00:00.000Z' };

describe('rowState', () => {
  it.each([
    ['waits without an answer', facts, 'waiting'],
    ['waits while the price is not in writing', { ...facts, otdCents: 100 }, 'waiting'],
    ['is written with a price in writing', written, 'written'],
    ['is written at a price of zero', { ...written, otdCents: 0 }, 'written'],
    ['is another car even with a price', { ...written, answer: 'different_car' }, 'different_car'],
    ['stays ended', { ...written, answer: 'different_car', ended: 'sold' }, 'ended'],
  ] as const)('%s', (_what, row, state) => {
    expect(rowState(row)).toBe(state);
    expect(hasWrittenPrice(row)).toBe(row.writtenAt !== null);
  });
});

describe('rowFlags', () => {
  it('never marks a row as both chosen and unlocked', () => {
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
});

const set = { hasEnded: false, hasFinished: false };
const single = { hasEnded: false, isArchived: false, hasFinished: true };

describe('dealSetSection', () => {
  it.each([
    ['inactive once it has ended', { ...set, hasEnded: true, hasFinished: true }, 'inactive'],
    ['in progress until one has finished', set, 'in_progress'],
    ['ready once one has finished', { ...set, hasFinished: true }, 'ready'],
  ] as const)('is %s', (_what, facts, section) => expect(dealSetSection(facts)).toBe(section));
});

describe('singleSection', () => {
  it.each([
    ['inactive once it has ended', { ...single, hasEnded: true }, 'inactive'],
    ['inactive once archived', { ...single, isArchived: true }, 'inactive'],
    ['ready when finished', single, 'ready'],
    ['in progress until finished', { ...single, hasFinished: false }, 'in_progress'],
  ] as const)('is %s', (_what, facts, section) => expect(singleSection(facts)).toBe(section));
});
