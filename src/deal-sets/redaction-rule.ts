import type { Principal } from '../kernel/principal.js';
import {
  fieldPath,
  fieldsOf,
  reachableDtos,
  type CustomFieldRegistry,
  type FieldPath,
} from '../redaction/field.js';
import type { PriceCheckFacts, RequestFacts } from './domain/facts.js';
import { DealSetResponse, ListResponse } from './dto/responses.js';
import { DISPLAY_TEXT_FIELDS, type Replacements } from './replacements.js';

/** The name of a listing fact that a rule may hide. */
export type ListingFact =
  'year' | 'make' | 'model' | 'trim' | 'exteriorColor' | 'mileage' | 'listedAtCents';

/**
 * The listing facts that a rule may hide, with the fields that show them. Display texts repeat
 * these facts, so a rule hides the fact, not the field.
 */
const LISTING_FACTS = {
  year: ['ListedCar.year'],
  make: ['ListedCar.make'],
  model: ['ListedCar.model'],
  trim: ['Row.quotedTrim', 'Hero.trim', 'RankedGroup.trim', 'ListedCar.trim'],
  exteriorColor: [],
  mileage: [],
  listedAtCents: ['Row.listedAtCents', 'Hero.listedAtCents'],
} satisfies Readonly<Record<ListingFact, readonly FieldPath[]>>;

/**
 * A rule of the host application that hides further facts or fields from some principals, or
 * replaces texts for them.
 *
 * Guarantees: a rule cannot show what the contract withholds. In both endpoints, a listing fact is
 * masked after rows have been grouped, ranked and counted, and before any display text is composed.
 * A hidden field becomes null; an optional one is left out. Several rules hide the union of what
 * each of them lists.
 * Must never: depend on anything but the principal; block (`from` runs on every request).
 * When it fails: a rule with an unknown name prevents the application from starting. A `from` that
 * throws makes the response 500 `internal`; with any return value other than `false` the rule
 * applies.
 */
export interface RedactionRule {
  /**
   * Facts of a listing, such as `listedAtCents`. They are removed from fields and display texts.
   */
  readonly facts?: readonly ListingFact[];
  /**
   * Nullable or optional fields that no display text repeats, by class and name, such as
   * `Row.sellingPriceCents`.
   */
  readonly fields?: readonly FieldPath[];
  /** Replacements for display texts and custom fields that no rule hides. */
  readonly replace?: Replacements;
  /** Returns whether the rule applies to this principal; called once for each request. */
  readonly from: (principal: Principal) => boolean;
}

/**
 * Returns the rules after checking them. Whether a hidden field exists and can be null is checked
 * later, when all endpoints are known.
 *
 * @throws {Error} for a rule without a function `from`, an unknown member or listing fact, a field
 *   that display texts repeat or that is a required display text, or a replacement that is not a
 *   function or replaces something other than a display text or a custom field.
 */
export function checkedRules(
  rules: readonly RedactionRule[],
  customFields: CustomFieldRegistry,
): readonly RedactionRule[] {
  const custom = [...customFields].flatMap(([dto, fields]) =>
    Object.keys(fields).map((name): string => fieldPath(dto, name)),
  );
  const replaceable = [...DISPLAY_TEXT_FIELDS, ...custom];
  for (const rule of rules) {
    const problem = problemOf(rule) ?? problemOfReplacements(rule, replaceable);
    if (problem !== undefined) throw new Error(`redactionRules: ${problem}`);
  }
  return rules;
}

function problemOf({
  facts = [],
  fields = [],
  replace: _replace,
  from,
  ...unknown
}: RedactionRule): string | undefined {
  if (typeof from !== 'function') return 'each rule must have a function `from`';
  const [unknownName] = Object.keys(unknown);
  if (unknownName !== undefined)
    return `unknown member ${unknownName}: expected facts, fields, replace, from`;
  return facts.map(problemOfFact).find(Boolean) ?? fields.map(problemOfField).find(Boolean);
}

function problemOfReplacements(
  { replace = {} }: RedactionRule,
  replaceable: readonly string[],
): string | undefined {
  for (const [path, replacement] of Object.entries<unknown>({ ...replace })) {
    if (!replaceable.includes(path)) {
      return `${path} is neither a display text nor a custom field: hide it, or leave it unchanged`;
    }
    if (typeof replacement !== 'function') return `the replacement of ${path} is not a function`;
  }
  return undefined;
}

function problemOfFact(name: string): string | undefined {
  if (Object.hasOwn(LISTING_FACTS, name)) return undefined;
  return `unknown listing fact ${name}: expected ${Object.keys(LISTING_FACTS).join(', ')}`;
}

function problemOfField(path: string): string | undefined {
  const repeats = `display texts repeat ${path}`;
  for (const [fact, fields] of Object.entries<readonly string[]>(LISTING_FACTS)) {
    if (fields.includes(path)) return `${repeats}: hide the listing fact ${fact}`;
  }
  if (path === 'Row.ended') return `${repeats}: it cannot be hidden`;
  return isRequiredText(path) ? `${path} is a display text: use \`replace\`` : undefined;
}

/** Whether a field is a display text that can be neither null nor left out. */
function isRequiredText(path: string): boolean {
  if (!DISPLAY_TEXT_FIELDS.includes(path)) return false;
  return reachableDtos([ListResponse, DealSetResponse]).some((dto) =>
    Object.entries(fieldsOf(dto)).some(
      ([name, { type }]) => fieldPath(dto, name) === path && !type.isNullable && !type.isOptional,
    ),
  );
}

/** The names of the listing facts that the rules hide from a principal. */
export type HiddenFacts = ReadonlySet<string>;

function maskListing<F extends object>(listing: F, hidden: HiddenFacts): F {
  const facts = [...hidden].filter((fact) => fact in listing);
  return { ...listing, ...Object.fromEntries(facts.map((fact) => [fact, null])) };
}

/** Removes hidden facts from a row. It must run after ranking, because rows are grouped by trim. */
export function maskPriceCheck(row: PriceCheckFacts, hidden: HiddenFacts): PriceCheckFacts {
  return { ...row, listing: maskListing(row.listing, hidden) };
}

/** Removes hidden facts from a request of the list. */
export function maskRequest(request: RequestFacts, hidden: HiddenFacts): RequestFacts {
  if (request.kind === 'single') return { ...request, car: maskListing(request.car, hidden) };
  return {
    ...request,
    chosen: request.chosen?.map((chosenRow) => maskListing(chosenRow, hidden)) ?? null,
  };
}
