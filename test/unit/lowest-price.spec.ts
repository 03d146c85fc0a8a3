import fc from 'fast-check';
import { priceCheckFacts, withDerivedFacts } from '../builders/arbitrary-facts.js';
import type { PriceCheckFacts } from '../../src/deal-sets/domain/facts.js';
import { lowestWrittenOtdCents } from '../builders/lowest-price.js';
import { rank } from '../../src/deal-sets/domain/ranking.js';

const rows = fc.uniqueArray(priceCheckFacts, { maxLength: 12, selector: (row) => row.id });
type PriceCheckValues = Pick<PriceCheckFacts, 'otdCents' | 'ended' | 'answer' | 'isArchived'>;
const writtenAt = '2026-11-01T10:00:00.000Z';

/** Rows with a price in writing, the cheapest last, and what each is. */
const ranked: PriceCheckValues = {
  otdCents: 500,
  ended: null,
  answer: 'same_car',
  isArchived: false,
};
const ended: PriceCheckValues = { ...ranked, otdCents: 400, ended: 'sold', answer: null };
const archived: PriceCheckValues = { ...ranked, otdCents: 300, isArchived: true };
const endedAndArchived: PriceCheckValues = { ...archived, otdCents: 250, ended: 'no_price' };
const different: PriceCheckValues = { ...ranked, otdCents: 200, answer: 'different_car' };
const endedDifferent: PriceCheckValues = {
  ...different,
  otdCents: 100,
  ended: 'closed_with_price',
};

describe('lowestWrittenOtdCents', () => {
  it.each<[string, readonly PriceCheckValues[], number | null]>([
    ['of the hero', [endedDifferent, different, archived, ended, ranked], 500],
    ['of an ended row, without a hero', [endedDifferent, different, archived, ended], 400],
    ['of an archived row, without an ended one', [different, archived, endedAndArchived], 250],
    ['of no row, when each is for a different car', [different, endedDifferent], null],
    ['of no row, without rows', [], null],
  ])('is the price %s', (_what, rows, cents) => {
    fc.assert(
      fc.property(priceCheckFacts, (row) => {
        const checks = rows.map((over) => withDerivedFacts({ ...row, writtenAt, ...over }));
        expect(lowestWrittenOtdCents(checks)).toBe(cents);
      }),
      { numRuns: 5 },
    );
  });

  it('is null exactly when no row has a written price for the same car, and the hero’s where there is one', () => {
    fc.assert(
      fc.property(rows, (facts) => {
        const lowest = lowestWrittenOtdCents(facts);
        const isPriced = facts.some((row) => row.isWritten && row.answer !== 'different_car');
        expect(lowest === null).toBe(!isPriced);
        const [group] = rank(facts);
        if (group) expect(lowest).toBe(group.rows[0].otdCents);
      }),
    );
  });
});
