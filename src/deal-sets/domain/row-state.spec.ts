import { ENDINGS } from '../../kernel/price-check-values.js';
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
  const row = { ...written, isSeen: false, isChosen: false, isArchived: false };
  const unlocked = { ...row, isSeen: true };
  const [canUnlock, canChoose] = [
    { hidden: true, canChoose: false, canUnlock: true },
    { hidden: false, canChoose: true, canUnlock: false },
  ];
  const [hidden, seen] = [
    { ...canUnlock, canUnlock: false },
    { ...canChoose, canChoose: false },
  ];
  it.each([
    ['lets a hidden row with a written price be unlocked', row, canUnlock],
    ['lets an unlocked row with a written price be chosen', unlocked, canChoose],
    ['lets neither be done to a chosen row', { ...unlocked, isChosen: true }, seen],
    ['does not unlock a row without a price', { ...row, otdCents: null }, hidden],
    ['does not unlock a price that is not in writing', { ...row, writtenAt: null }, hidden],
    ['does not unlock another car', { ...row, answer: 'different_car' }, hidden],
    ['does not choose another car', { ...unlocked, answer: 'different_car' }, seen],
    ['does not unlock an archived row', { ...row, isArchived: true }, hidden],
    ['does not choose an archived row', { ...unlocked, isArchived: true }, seen],
    ...ENDINGS.flatMap(
      (ended) =>
        [
          [`lets a row that ended as ${ended} be unlocked`, { ...row, ended }, canUnlock],
          [
            `lets an unlocked row that ended as ${ended} be chosen`,
            { ...unlocked, ended },
            canChoose,
          ],
        ] as const,
    ),
  ] as const)('%s', (_what, facts, flags) => expect(rowFlags(facts)).toEqual(flags));
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
