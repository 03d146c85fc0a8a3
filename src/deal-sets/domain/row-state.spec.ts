import { ENDINGS } from '../../kernel/price-check-values.js';
import { dealSetSection, rowFlags, singleSection } from './row-state.js';

describe('rowFlags', () => {
  const row = {
    answer: null,
    isWritten: true,
    isSeen: false,
    isChosen: false,
    isArchived: false,
  } as const;
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
    ['does not unlock a row without a price in writing', { ...row, isWritten: false }, hidden],
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
