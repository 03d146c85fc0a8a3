import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';

/** A row of the statement for one deal set: the set, a member (its id null: it has none), an open item of it. */
export interface ResultRow {
  readonly set: Omit<DealSetFacts, 'priceChecks' | 'needsYouItems'>;
  readonly priceCheck: PriceCheckFacts | { readonly id: null };
  readonly item: NeedsYouFacts | { readonly kind: null };
}

/** @param rows at least one; the open items among them in the order in which they are shown. */
export function dealSetFacts(rows: readonly [ResultRow, ...ResultRow[]]): DealSetFacts {
  const priceChecks = new Map<string, PriceCheckFacts>();
  const needsYouItems: NeedsYouFacts[] = [];
  for (const { priceCheck, item } of rows) {
    if (priceCheck.id !== null) priceChecks.set(priceCheck.id, priceCheck);
    if (item.kind !== null) needsYouItems.push(item);
  }
  return { ...rows[0].set, priceChecks: [...priceChecks.values()], needsYouItems };
}
