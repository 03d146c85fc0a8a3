import fc from 'fast-check';
import { priceCheckFacts } from '../../../test/builders/arbitrary-facts.js';
import { dealSetSection, hasWrittenPrice, rowFlags, rowState, singleSection } from './row-state.js';

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

const summary = {
  written: 0,
  waiting: 0,
  differentCar: 0,
  ended: 0,
  endedWithPrice: 0,
  closedWithPrice: 0,
};
const single = {
  hasEnded: false,
  isArchived: false,
  hasFinished: true,
};
const active = { hasEnded: false, hasFinished: false };

describe('dealSetSection', () => {
  it.each([
    [
      'inactive once it has ended',
      { hasEnded: true, hasFinished: true, summary: { ...summary, written: 1 } },
      'inactive',
    ],
    [
      'ready with a price and no open row',
      { ...active, summary: { ...summary, written: 1, ended: 3 } },
      'ready',
    ],
    [
      'in progress while a dealership has not answered',
      { ...active, summary: { ...summary, written: 1, waiting: 1 } },
      'in_progress',
    ],
    [
      'in progress without any price',
      { ...active, summary: { ...summary, ended: 2 } },
      'in_progress',
    ],
    [
      'ready once a dealership has finished, with any state of the others',
      { ...active, hasFinished: true, summary: { ...summary, written: 1, waiting: 1 } },
      'ready',
    ],
    [
      'ready once a dealership has finished, also without a price in writing',
      { ...active, hasFinished: true, summary: { ...summary, waiting: 1 } },
      'ready',
    ],
  ] as const)('is %s', (_what, set, section) => expect(dealSetSection(set)).toBe(section));
});

describe('singleSection', () => {
  it.each([
    ['inactive once it has ended', { ...single, hasEnded: true }, 'inactive'],
    ['inactive once archived', { ...single, isArchived: true }, 'inactive'],
    ['ready when finished', single, 'ready'],
    [
      'in progress while the dealership has not finished',
      { ...single, hasFinished: false },
      'in_progress',
    ],
  ] as const)('is %s', (_what, facts, section) => expect(singleSection(facts)).toBe(section));
});
