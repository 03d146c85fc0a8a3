import { factsOf, type Row } from './columns.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';

/**
 * A row of the statement for one deal set: the set itself, or a member and an open item of it. The ids of what a
 * row is not are null.
 */
interface ResultRow {
  readonly set: Omit<DealSetFacts, 'priceChecks' | 'needsYouItems'> | { readonly id: null };
  readonly priceCheck: PriceCheckFacts | { readonly id: null };
  readonly item: NeedsYouFacts | { readonly kind: null };
}

/**
 * @param found the set's own first; the open items in the order in which they are shown.
 * @returns null when there is no deal set.
 */
export function dealSetFacts(found: readonly Row[]): DealSetFacts | null {
  const rows = found.map((row) => factsOf(row) as ResultRow);
  const set = rows[0]?.set;
  if (!set || set.id === null) return null;
  const priceChecks = new Map<string, PriceCheckFacts>();
  const needsYouItems: NeedsYouFacts[] = [];
  for (const { priceCheck, item } of rows) {
    if (priceCheck.id !== null) priceChecks.set(priceCheck.id, priceCheck);
    if (item.kind !== null) needsYouItems.push(item);
  }
  return { ...set, priceChecks: [...priceChecks.values()], needsYouItems };
}
