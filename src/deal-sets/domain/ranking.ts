import type { PriceCheckFacts } from './facts.js';
import { hasWrittenPrice, isRanked } from './row-state.js';

/** A row that is ranked: its price is there. */
export type RankedRow = PriceCheckFacts & { readonly otdCents: number };

export interface TrimGroup {
  readonly trim: string | null;
  /** At least one, lowest price first. */
  readonly rows: readonly [RankedRow, ...RankedRow[]];
}

/** Orders text by Unicode code point, as the database's "C" collation does. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    // Surrogates encode code points above all other units, U+E000 to U+FFFF included.
    const isLeftSurrogate = left >= 0xd800 && left <= 0xdfff;
    const isRightSurrogate = right >= 0xd800 && right <= 0xdfff;
    if (isLeftSurrogate !== isRightSurrogate) return isLeftSurrogate ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

/** Known trims in order, the unknown trim last. */
function compareTrims(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareCodePoints(a, b);
}

/** Lowest price first, then the earlier writing, then the row's id. */
function compareRows(a: RankedRow, b: RankedRow): number {
  return (
    a.otdCents - b.otdCents ||
    compareCodePoints(a.writtenAt ?? '', b.writtenAt ?? '') ||
    compareCodePoints(a.id, b.id)
  );
}

/** Rows that are not ranked: those with a price in writing first, the lowest first, then by id. */
export function compareUnranked(a: PriceCheckFacts, b: PriceCheckFacts): number {
  const isPriced = hasWrittenPrice(a);
  if (isPriced !== hasWrittenPrice(b)) return isPriced ? -1 : 1;
  const gap = isPriced ? (a.otdCents ?? 0) - (b.otdCents ?? 0) : 0;
  return gap || compareCodePoints(a.id, b.id);
}

/**
 * The ranked rows in their groups: one group for each trim of the listings, the group with the lowest
 * price first. So the first row of the first group has the lowest price of all: it is the hero.
 */
export function rank(rows: readonly PriceCheckFacts[]): TrimGroup[] {
  const byTrim = new Map<string | null, RankedRow[]>();
  for (const row of rows) {
    if (!isRanked(row) || row.otdCents === null) continue;
    const group = byTrim.get(row.listing.trim);
    if (group) group.push(row as RankedRow);
    else byTrim.set(row.listing.trim, [row as RankedRow]);
  }
  return [...byTrim]
    .map(([trim, group]) => ({
      trim,
      rows: group.sort(compareRows) as [RankedRow, ...RankedRow[]],
    }))
    .sort((a, b) => a.rows[0].otdCents - b.rows[0].otdCents || compareTrims(a.trim, b.trim));
}
