import fc from 'fast-check';
import {
  dealSetFacts,
  UNKNOWN_LISTING,
  withoutWithheldFacts,
} from '../../../test/builders/arbitrary-facts.js';
import type { DealSetFacts } from '../domain/facts.js';
import type { DealSetResult } from '../dto/deal-set-result.js';
import type { Row } from '../dto/row.js';
import { dealSetResultView } from './deal-set-result-view.js';

function othersOf({ everyoneElse }: DealSetResult): readonly (readonly Row[])[] {
  const { waiting, differentCar, ended, archived } = everyoneElse;
  return [waiting, differentCar, ended, archived];
}

/** Checks that a property holds for generated deal sets. */
const forArbitraryDealSets = (check: (set: DealSetFacts) => void): void =>
  fc.assert(fc.property(dealSetFacts, check));

const rowsOf = (view: DealSetResult): readonly Row[] => [
  ...view.ranked.flatMap((group) => group.rows),
  ...othersOf(view).flat(),
];

describe('dealSetResultView', () => {
  it('puts each row in exactly one place, according to its state', () => {
    forArbitraryDealSets((set) => {
      const { ranked, everyoneElse } = dealSetResultView(set);
      const places = {
        written: ranked.flatMap((group) => group.rows),
        waiting: everyoneElse.waiting,
        different_car: everyoneElse.differentCar,
        ended: everyoneElse.ended,
        archived: everyoneElse.archived,
      };
      const found = Object.entries(places).flatMap(([place, rows]) =>
        rows.map(({ rowKey }) => `${rowKey} ${place}`),
      );
      const expected = set.priceChecks.map(
        (row) => `${row.id} ${row.isArchived ? 'archived' : row.state}`,
      );
      expect(found.sort()).toEqual(expected.sort());
    });
  });

  it('counts what it shows', () => {
    forArbitraryDealSets((set) => {
      const { counts, ranked, everyoneElse, needsYou, hero } = dealSetResultView(set);
      expect(counts.written).toBe(ranked.reduce((sum, group) => sum + group.rows.length, 0));
      expect(counts.waiting).toBe(everyoneElse.waiting.length);
      expect(counts.differentCar).toBe(everyoneElse.differentCar.length);
      expect(counts.ended).toBe(everyoneElse.ended.length);
      expect(counts.closedWithPrice).toBeLessThanOrEqual(counts.endedWithPrice);
      expect(counts.endedWithPrice).toBeLessThanOrEqual(counts.ended);
      expect(counts.needsYou).toBe(needsYou.length);
      expect(hero === null).toBe(ranked.length === 0);
      if (hero) expect(hero.rowKey).toBe(ranked[0]?.rows[0]?.rowKey);
    });
  });

  it('orders the other rows by their price in writing, those without one by id', () => {
    forArbitraryDealSets((set) => {
      const view = dealSetResultView(set);
      for (const rows of othersOf(view)) {
        const keys = rows.map(
          ({ writtenAt, otdCents, rowKey }) =>
            `${writtenAt === null ? 'z' : String(otdCents).padStart(20, '0')} ${rowKey}`,
        );
        expect(keys).toEqual([...keys].sort());
      }
    });
  });

  it('uses the label of an item’s row in its heading, for both principals', () => {
    forArbitraryDealSets((set) => {
      for (const read of [set, withoutWithheldFacts(set)]) {
        for (const item of dealSetResultView(read).needsYou) {
          if (item.kind !== 'question') continue;
          expect(item.heading.replace(/^A question[^:]*: /, '')).toBe(item.label);
        }
      }
    });
  });

  it('labels a row with an unknown listing by the requested car, and a different car by none', () => {
    forArbitraryDealSets((set) => {
      const priceChecks = set.priceChecks.map((row) => ({ ...row, ...UNKNOWN_LISTING }));
      const answers = new Map(set.priceChecks.map(({ id, answer }) => [id, answer]));
      const view = dealSetResultView(withoutWithheldFacts({ ...set, priceChecks }));
      for (const { rowKey, label } of rowsOf(view)) {
        expect(label).toBe(answers.get(rowKey) === 'different_car' ? 'Car' : '2026 Civic');
      }
    });
  });

  it('has no taxes and fees below a selling price that exceeds the total', () => {
    forArbitraryDealSets((set) => {
      const { hero } = dealSetResultView(set);
      if (!hero) return;
      const rest = hero.otdCents - (hero.sellingPriceCents ?? Infinity);
      expect(hero.taxesAndFeesCents).toBe(rest >= 0 ? rest : null);
    });
  });

  it('names a dealership to the buyer alone, and only once the buyer has seen it', () => {
    forArbitraryDealSets((set) => {
      const names = new Map(set.priceChecks.map((row) => [row.id, row.dealershipName]));
      for (const row of rowsOf(dealSetResultView(set))) {
        const name = names.get(row.rowKey);
        if (!row.hidden) expect(row.label).toBe(name);
      }
      for (const row of rowsOf(dealSetResultView(withoutWithheldFacts(set)))) {
        expect(row.label).not.toBe(names.get(row.rowKey) ?? '');
        expect(row.label).not.toBe('');
      }
    });
  });
});
