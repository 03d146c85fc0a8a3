import { callHostCode } from '../../kernel/host-code.js';
import type { Principal } from '../../kernel/principal.js';
import type { FieldPath } from '../../redaction/field.js';
import { HiddenFields } from '../../redaction/hidden-fields.js';

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
 * A rule of the host application that hides further facts or fields from some principals.
 *
 * Guarantees: a rule cannot show what the contract withholds. In both endpoints, a listing fact is
 * withheld after rows have been grouped, ranked and counted, and before any display text is composed.
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
  /** Returns whether the rule applies to this principal; called once for each request. */
  readonly from: (principal: Principal) => boolean;
}

/** What the rules hide from one principal. */
export interface Hidden {
  /** Facts of a listing. */
  readonly facts: ReadonlySet<ListingFact>;
  /** Fields by class and name. */
  readonly fields: ReadonlySet<FieldPath>;
}

/** The rules of the host application. Each rule is evaluated once for each request. */
export class RedactionRules extends HiddenFields {
  override readonly named: readonly FieldPath[];
  /** The hidden names by principal. Each request has its own principal object. */
  readonly #hidden = new WeakMap<Principal, Hidden>();

  /**
   * @throws {Error} for a rule without a function `from` or without names, an unknown member or
   *   listing fact, or a field that display texts repeat. Whether a hidden field exists and can be
   *   null is checked later, when all endpoints are known.
   */
  constructor(private readonly rules: readonly RedactionRule[]) {
    super();
    const problem = rules.map(problemOf).find((found) => found !== undefined);
    if (problem !== undefined) throw new Error(`redactionRules: ${problem}`);
    this.named = rules.flatMap(({ fields = [] }) => fields);
  }

  /**
   * Returns what the rules hide from a principal.
   *
   * @throws {AppError} `internal` when a rule fails; nothing may be sent then.
   */
  hiddenFrom(principal: Principal): Hidden {
    if (this.rules.length === 0) return NOTHING;
    const known = this.#hidden.get(principal);
    if (known) return known;
    const applied = this.rules.filter(
      ({ from }) => callHostCode<unknown>(() => from(principal)) !== false,
    );
    const hidden = {
      facts: new Set(applied.flatMap(({ facts = [] }) => facts)),
      fields: new Set(applied.flatMap(({ fields = [] }) => fields)),
    };
    this.#hidden.set(principal, hidden);
    return hidden;
  }

  override fieldsHiddenFrom(principal: Principal): ReadonlySet<FieldPath> {
    return this.hiddenFrom(principal).fields;
  }
}

const NOTHING: Hidden = { facts: new Set(), fields: new Set() };

function problemOf({
  facts = [],
  fields = [],
  from,
  ...unknown
}: RedactionRule): string | undefined {
  if (typeof from !== 'function') return 'each rule must have a function `from`';
  const [unknownName] = Object.keys(unknown);
  if (unknownName !== undefined)
    return `unknown member ${unknownName}: expected facts, fields, from`;
  // It would hide nothing, without an error.
  if (facts.length + fields.length === 0) return 'each rule must name facts or fields';
  return facts.map(problemOfFact).find(Boolean) ?? fields.map(problemOfField).find(Boolean);
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
  return path === 'Row.ended' ? `${repeats}: it cannot be hidden` : undefined;
}
