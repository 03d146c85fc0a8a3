import type { PriceCheckFacts, RequestFacts } from '../domain/facts.js';

/** The names of the listing facts that the rules of the host application hide from a caller. */
export type HiddenFacts = ReadonlySet<string>;

/**
 * Removes hidden facts from a row. It must run after ranking, because rows are grouped by trim.
 */
export function hideFactsOfRow(row: PriceCheckFacts, hidden: HiddenFacts): PriceCheckFacts {
  return hidden.size === 0 ? row : hideFacts(row, hidden);
}

/** Removes hidden facts from a request of the list. */
export function hideFactsOfRequest(request: RequestFacts, hidden: HiddenFacts): RequestFacts {
  if (hidden.size === 0) return request;
  if (request.kind === 'single') return hideFacts(request, hidden);
  return {
    ...request,
    chosen: request.chosen?.map((chosenRow) => hideFacts(chosenRow, hidden)) ?? null,
  };
}

function hideFacts<Listing extends object>(listing: Listing, hidden: HiddenFacts): Listing {
  const facts = [...hidden].filter((fact) => fact in listing);
  return { ...listing, ...Object.fromEntries(facts.map((fact) => [fact, null])) };
}
