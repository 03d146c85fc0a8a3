import type { RowState } from '../../kernel/price-check-values.js';
import type { PriceCheckFacts, SummaryFacts } from './facts.js';

/** A row with a written price, in US cents. */
export type RankedRow = PriceCheckFacts & { readonly otdCents: number };

/** The ranked rows of one trim. `trim` is null for the rows whose trim is unknown. */
export interface TrimGroup {
  readonly trim: string | null;
  /** Lowest price first. */
  readonly rows: readonly [RankedRow, ...RankedRow[]];
}

/** The rows of a deal set, each in exactly one list. */
export interface Partition {
  readonly ranked: readonly TrimGroup[];
  readonly waiting: readonly PriceCheckFacts[];
  readonly differentCar: readonly PriceCheckFacts[];
  readonly ended: readonly PriceCheckFacts[];
  /** Archived rows in any state; no count includes them. */
  readonly archived: readonly PriceCheckFacts[];
}

/** Assigns each row to its list (contract, section 3.1). All counts are based on these lists. */
export function partition(rows: readonly PriceCheckFacts[]): Partition {
  const unranked = (state: RowState): PriceCheckFacts[] =>
    rows.filter((row) => !row.isArchived && row.state === state).sort(compareUnranked);
  return {
    ranked: rank(rows),
    waiting: unranked('waiting'),
    differentCar: unranked('different_car'),
    ended: unranked('ended'),
    archived: rows.filter((row) => row.isArchived).sort(compareUnranked),
  };
}

/**
 * Counts the rows by state. A price for a different car is not counted as a price, however its row
 * ended. `request_summary` of the database computes the same; property tests compare the two.
 */
export function summaryOf({ ranked, waiting, differentCar, ended }: Partition): SummaryFacts {
  const endedForSameCar = ended.filter((row) => row.answer !== 'different_car');
  return {
    written: ranked.reduce((count, group) => count + group.rows.length, 0),
    waiting: waiting.length,
    differentCar: differentCar.length,
    ended: ended.length,
    endedWithPrice: endedForSameCar.filter((row) => row.isWritten).length,
    closedWithPrice: endedForSameCar.filter((row) => row.ended === 'closed_with_price').length,
  };
}

/**
 * Groups the ranked rows by the trim of their listings. The group with the lowest price comes
 * first, and its first row is the hero.
 */
export function rank(rows: readonly PriceCheckFacts[]): TrimGroup[] {
  const ranked = rows.filter(isRanked);
  const byTrim = new Map<string | null, [RankedRow, ...RankedRow[]]>();
  for (const row of ranked.sort(compareRanked)) {
    const group = byTrim.get(row.trim);
    if (group) group.push(row);
    else byTrim.set(row.trim, [row]);
  }
  return Array.from(byTrim, ([trim, group]) => ({ trim, rows: group }));
}

/** Whether a row is ranked: written and not archived. A written row has a price. */
function isRanked(row: PriceCheckFacts): row is RankedRow {
  return row.state === 'written' && !row.isArchived;
}

/** Compares texts by Unicode code point, as the database's "C" collation does. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Compares ids and times, whose characters are all ASCII. */
function compareAscii(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** Compares trims by code point. The unknown trim comes last. */
function compareTrims(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareCodePoints(a, b);
}

function compareRanked(a: RankedRow, b: RankedRow): number {
  return (
    a.otdCents - b.otdCents ||
    compareTrims(a.trim, b.trim) ||
    compareAscii(a.writtenAt ?? '', b.writtenAt ?? '') ||
    compareAscii(a.id, b.id)
  );
}

/** Orders unranked rows: those with a written price first, by price; then by id. */
export function compareUnranked(a: PriceCheckFacts, b: PriceCheckFacts): number {
  if (a.isWritten !== b.isWritten) return a.isWritten ? -1 : 1;
  const byPrice = a.isWritten ? (a.otdCents ?? 0) - (b.otdCents ?? 0) : 0;
  return byPrice === 0 ? compareAscii(a.id, b.id) : byPrice;
}
