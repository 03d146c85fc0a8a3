import fc from 'fast-check';
import { dealSetFacts } from '../../../test/builders/arbitrary-facts.js';
import { NEW_PRICE_CHECK, type DealSetFacts } from '../domain/facts.js';
import { rowState } from '../domain/row-state.js';
import { ENGLISH, shortCarLabel } from '../domain/texts.js';
import type { DealSetResult } from '../dto/deal-set-result.js';
import type { Row } from '../dto/row.js';
import { dealSetResultView } from './deal-set-result-view.js';

function othersOf({ everyoneElse }: DealSetResult): readonly (readonly Row[])[] {
  const { waiting, differentCar, ended, archived } = everyoneElse;
  return [waiting, differentCar, ended, archived];
}

function places(set: DealSetFacts): Map<string, string[]> {
  const view = dealSetResultView(set, 'session');
  const found = new Map<string, string[]>(set.priceChecks.map((row) => [row.id, []]));
  const note = (place: string) => (row: Row) => found.get(row.rowKey)?.push(place);
  view.ranked.forEach((group) => group.rows.forEach(note('written')));
  view.everyoneElse.waiting.forEach(note('waiting'));
  view.everyoneElse.differentCar.forEach(note('different_car'));
  view.everyoneElse.ended.forEach(note('ended'));
  view.everyoneElse.archived.forEach(note('archived'));
  return found;
}

describe('dealSetResultView', () => {
  it('puts each row in exactly one place, the one of its state', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const found = places(set);
        for (const row of set.priceChecks) {
          expect(found.get(row.id)).toEqual([row.isArchived ? 'archived' : rowState(row)]);
        }
      }),
    );
  });

  it('counts what it shows', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const { counts, ranked, everyoneElse, needsYou, hero } = dealSetResultView(set, 'session');
        expect(counts.written).toBe(ranked.reduce((sum, group) => sum + group.rows.length, 0));
        expect(counts.waiting).toBe(everyoneElse.waiting.length);
        expect(counts.differentCar).toBe(everyoneElse.differentCar.length);
        expect(counts.ended).toBe(everyoneElse.ended.length);
        expect(counts.closedWithPrice).toBeLessThanOrEqual(counts.endedWithPrice);
        expect(counts.endedWithPrice).toBeLessThanOrEqual(counts.ended);
        expect(counts.needsYou).toBe(needsYou.length);
        expect(hero === null).toBe(ranked.length === 0);
        if (hero) expect(hero.rowKey).toBe(ranked[0]?.rows[0]?.rowKey);
      }),
    );
  });

  it('orders the other rows by their price in writing, those without one by id', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const view = dealSetResultView(set, 'session');
        for (const rows of othersOf(view)) {
          const keys = rows.map(
            ({ writtenAt, otdCents, rowKey }) =>
              `${writtenAt === null ? 'z' : String(otdCents).padStart(20, '0')} ${rowKey}`,
          );
          expect(keys).toEqual([...keys].sort());
        }
      }),
    );
  });

  it('keeps the label of an item’s row, and a heading that is short for the buyer', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const facts = new Map(set.priceChecks.map((row) => [row.id, row]));
        const topic = /^A question[^:]*: /;
        for (const principalType of ['session', 'assistant'] as const) {
          for (const item of dealSetResultView(set, principalType).needsYou) {
            if (item.kind !== 'question') continue;
            const row = facts.get(item.rowKey);
            const isShort = principalType === 'session' && row?.dealershipName === null;
            const requested = row?.answer === 'different_car' ? 'Car' : '2026 Civic';
            expect(item.heading.replace(topic, '')).toBe(
              isShort ? (shortCarLabel(ENGLISH, row.listing) ?? requested) : item.label,
            );
          }
        }
      }),
    );
  });

  it('labels a row of whose listing nothing is known by the requested car, a different car by no car', () => {
    const empty = { ...NEW_PRICE_CHECK.listing };
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const priceChecks = set.priceChecks.map((row) => ({ ...row, listing: empty }));
        const answers = new Map(set.priceChecks.map(({ id, answer }) => [id, answer]));
        const view = dealSetResultView({ ...set, priceChecks }, 'assistant');
        const rows = [...view.ranked.flatMap((group) => group.rows), ...othersOf(view).flat()];
        for (const { rowKey, label } of rows) {
          expect(label).toBe(answers.get(rowKey) === 'different_car' ? 'Car' : '2026 Civic');
        }
      }),
    );
  });

  it('has no taxes and fees below a selling price that is higher than the whole', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const { hero } = dealSetResultView(set, 'session');
        if (!hero) return;
        const rest = hero.otdCents - (hero.sellingPriceCents ?? Infinity);
        expect(hero.taxesAndFeesCents).toBe(rest >= 0 ? rest : null);
      }),
    );
  });

  it('holds only safe integers', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        JSON.stringify(dealSetResultView(set, 'session'), (key, value: unknown) => {
          if (
            /Cents$|^(written|waiting|ended|total|year)$/.test(key) &&
            typeof value === 'number'
          ) {
            expect(Number.isSafeInteger(value)).toBe(true);
          }
          return value;
        });
      }),
    );
  });

  it('names a dealership to the buyer alone, and only once she has seen it', () => {
    fc.assert(
      fc.property(dealSetFacts, (set) => {
        const names = new Map(set.priceChecks.map((row) => [row.id, row.dealershipName]));
        const rowsOf = (principalType: 'session' | 'assistant'): Row[] => {
          const view = dealSetResultView(set, principalType);
          return [...view.ranked.flatMap((group) => group.rows), ...othersOf(view).flat()];
        };
        for (const row of rowsOf('session')) {
          const name = names.get(row.rowKey);
          if (!row.hidden) expect(row.label).toBe(name);
        }
        for (const row of rowsOf('assistant')) {
          expect(row.label).not.toBe(names.get(row.rowKey) ?? '');
          expect(row.label).not.toBe('');
        }
      }),
    );
  });
});
