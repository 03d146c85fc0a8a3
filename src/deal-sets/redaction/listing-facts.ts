import type { PriceCheckFacts, RequestFacts } from '../domain/facts.js';

/** The parts of a listing that a redaction rule may hide. */
export const LISTING_FACTS = [
  'year',
  'make',
  'model',
  'trim',
  'exteriorColor',
  'mileage',
  'listedAtCents',
] as const;
export type ListingFact = (typeof LISTING_FACTS)[number];

export type HiddenFacts = ReadonlySet<ListingFact>;

export const NO_HIDDEN_FACTS: HiddenFacts = new Set();

/** Fields that hold a listing fact, which display texts repeat: a rule hides the fact, never the field alone. */
export const FACT_OF_FIELD: Readonly<Record<string, ListingFact>> = {
  'Row.listedAtCents': 'listedAtCents',
  'Row.quotedTrim': 'trim',
  'Hero.listedAtCents': 'listedAtCents',
  'Hero.trim': 'trim',
  'RankedGroup.trim': 'trim',
  'ListedCar.year': 'year',
  'ListedCar.make': 'make',
  'ListedCar.model': 'model',
  'ListedCar.trim': 'trim',
};

/** Other nullable fields that a display text repeats. */
export const FIELDS_OF_TEXTS: ReadonlySet<string> = new Set(['Row.ended']);

/** A listing, or the car of one, without its hidden facts. */
function blank<F extends object>(listing: F, hidden: HiddenFacts): F {
  const facts = [...hidden].filter((fact) => fact in listing);
  return { ...listing, ...Object.fromEntries(facts.map((fact) => [fact, null])) };
}

/** A price check whose listing lacks its hidden facts. Call it after ranking: rows are grouped by trim. */
export function blankPriceCheck<R extends PriceCheckFacts>(row: R, hidden: HiddenFacts): R {
  return hidden.size === 0 ? row : { ...row, listing: blank(row.listing, hidden) };
}

/** The trim of a group, as far as it may be shown. */
export function shownTrim(trim: string | null, hidden: HiddenFacts): string | null {
  return hidden.has('trim') ? null : trim;
}

/** A request of the list whose listings lack their hidden facts. */
export function blankRequest(request: RequestFacts, hidden: HiddenFacts): RequestFacts {
  if (hidden.size === 0) return request;
  if (request.kind === 'deal_set') {
    return {
      ...request,
      chosen: request.chosen?.map((listing) => blank(listing, hidden)) ?? null,
    };
  }
  return { ...request, car: blank(request.car, hidden) };
}
