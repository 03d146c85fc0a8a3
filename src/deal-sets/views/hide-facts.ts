import type { PriceCheckFacts, RequestFacts } from '../domain/facts.js';

/** The names of the listing facts that the rules of the host application hide from a caller. */
export type HiddenFacts = ReadonlySet<string>;

/**
 * Removes hidden facts from a row. It must run after ranking, because rows are grouped by trim.
 */
export function hideFactsOfRow(row: PriceCheckFacts, hiddenFacts: HiddenFacts): PriceCheckFacts {
  return hiddenFacts.size === 0 ? row : hideFacts(row, hiddenFacts);
}

/** Removes hidden facts from a request of the list. */
export function hideFactsOfRequest(request: RequestFacts, hiddenFacts: HiddenFacts): RequestFacts {
  if (hiddenFacts.size === 0) return request;
  if (request.kind === 'single') return hideFacts(request, hiddenFacts);
  return {
    ...request,
    chosen: request.chosen?.map((chosenRow) => hideFacts(chosenRow, hiddenFacts)) ?? null,
  };
}

function hideFacts<Listing extends object>(listing: Listing, hiddenFacts: HiddenFacts): Listing {
  const facts = [...hiddenFacts].filter((fact) => fact in listing);
  return { ...listing, ...Object.fromEntries(facts.map((fact) => [fact, null])) };
}
