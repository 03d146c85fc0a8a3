import type { Principal } from '../kernel/principal.js';
import type { FieldPath } from '../redaction/field.js';
import type { PriceCheckFacts, RequestFacts } from './domain/facts.js';

/** The parts of a listing that a redaction rule may hide. */
const LISTING_FACTS = [
  'year',
  'make',
  'model',
  'trim',
  'exteriorColor',
  'mileage',
  'listedAtCents',
] as const;
export type ListingFact = (typeof LISTING_FACTS)[number];

/**
 * A team's own rule: hides further facts or fields from some principals.
 *
 * Guarantees: it can only hide. A listing fact is blanked after rows were grouped, ranked and counted and
 * before any display text is made, in both endpoints: labels do not repeat it. A field becomes null, an
 * optional one is left out. What the contract withholds stays withheld, and several rules hide the union of
 * what they name.
 * Must never: depend on anything but the principal; block (`from` runs on every response).
 * When it fails: a rule that names something unknown stops the boot. A `from` that throws fails the request
 * (500 `internal`, nothing is sent); one that returns anything but `false` hides.
 *
 * Example, hiding list prices from one assistant:
 *
 *     const noListPrices: RedactionRule = {
 *       hide: ['listedAtCents'],
 *       from: (principal) => principal.type === 'assistant' && principal.clientId === 'acme',
 *     };
 */
export interface RedactionRule {
  /**
   * Facts of a listing (`listedAtCents`), or paths of nullable or optional fields that no display text uses:
   * the name of the class and the field's (`Row.sellingPriceCents`).
   */
  readonly hide: readonly (ListingFact | FieldPath)[];
  readonly from: (principal: Principal) => boolean;
}

export const REDACTION_RULES = Symbol('redaction rules');

/** Fields that display texts repeat. A listing's: a rule hides the fact, never the field alone. */
const REPEATED: Readonly<Record<string, ListingFact | undefined>> = {
  'Row.listedAtCents': 'listedAtCents',
  'Row.quotedTrim': 'trim',
  'Row.ended': undefined,
  'Hero.listedAtCents': 'listedAtCents',
  'Hero.trim': 'trim',
  'RankedGroup.trim': 'trim',
  'ListedCar.year': 'year',
  'ListedCar.make': 'make',
  'ListedCar.model': 'model',
  'ListedCar.trim': 'trim',
};

/** @throws {Error} for a rule without a function, or a name that is no listing fact and cannot be a field to hide. */
export function checkedRules(rules: readonly RedactionRule[]): readonly RedactionRule[] {
  for (const { hide, from } of rules) {
    if (typeof from !== 'function') {
      throw new Error('redactionRules: each rule has a function `from`');
    }
    for (const name of hide) {
      if (Object.hasOwn(REPEATED, name)) {
        const fact = REPEATED[name];
        const instead = fact ? `hide the listing fact ${fact}` : 'it cannot be hidden';
        throw new Error(`redactionRules: display texts repeat ${name}: ${instead}`);
      }
      if (!name.includes('.') && !LISTING_FACTS.some((fact) => fact === name)) {
        const known = LISTING_FACTS.join(', ');
        throw new Error(
          `redactionRules: unknown listing fact ${name}: expected ${known} or a field path`,
        );
      }
    }
  }
  return rules;
}

/** What the rules hide from a principal; the names of listing facts count here. */
export type HiddenFacts = ReadonlySet<string>;

/** A listing, or the car of one, without its hidden facts. */
function blank<F extends object>(listing: F, hidden: HiddenFacts): F {
  const facts = [...hidden].filter((fact) => fact in listing);
  return { ...listing, ...Object.fromEntries(facts.map((fact) => [fact, null])) };
}

/** A price check whose listing lacks its hidden facts. Call it after ranking: rows are grouped by trim. */
export function blankPriceCheck(row: PriceCheckFacts, hidden: HiddenFacts): PriceCheckFacts {
  return hidden.size === 0 ? row : { ...row, listing: blank(row.listing, hidden) };
}

/** A request of the list whose listings lack their hidden facts. */
export function blankRequest(request: RequestFacts, hidden: HiddenFacts): RequestFacts {
  if (hidden.size === 0) return request;
  if (request.kind === 'single') return { ...request, car: blank(request.car, hidden) };
  return { ...request, chosen: request.chosen?.map((each) => blank(each, hidden)) ?? null };
}
