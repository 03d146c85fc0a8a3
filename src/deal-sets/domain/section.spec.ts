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
