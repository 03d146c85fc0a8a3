import { dealSetSection, singleSection } from './section.js';

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
  otdCents: 100,
  writtenAt: '2026-11-01T10:00:00.000Z',
};

describe('dealSetSection', () => {
  it.each([
    [
      'inactive once it has ended',
      { hasEnded: true, summary: { ...summary, written: 1 } },
      'inactive',
    ],
    [
      'ready with a price and nobody to wait for',
      { hasEnded: false, summary: { ...summary, written: 1, ended: 3 } },
      'ready',
    ],
    [
      'in progress while somebody is to answer',
      { hasEnded: false, summary: { ...summary, written: 1, waiting: 1 } },
      'in_progress',
    ],
    [
      'in progress without any price',
      { hasEnded: false, summary: { ...summary, ended: 2 } },
      'in_progress',
    ],
  ] as const)('is %s', (_what, set, section) => expect(dealSetSection(set)).toBe(section));
});

describe('singleSection', () => {
  it.each([
    ['inactive once it has ended', { ...single, hasEnded: true }, 'inactive'],
    ['inactive once archived', { ...single, isArchived: true }, 'inactive'],
    ['ready when finished with a price in writing', single, 'ready'],
    [
      'in progress while the dealership has not finished',
      { ...single, hasFinished: false },
      'in_progress',
    ],
    [
      'in progress while the price is not in writing',
      { ...single, writtenAt: null },
      'in_progress',
    ],
  ] as const)('is %s', (_what, facts, section) => expect(singleSection(facts)).toBe(section));
});
