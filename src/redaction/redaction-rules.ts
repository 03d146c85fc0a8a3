import { Inject, Injectable } from '@nestjs/common';
import { callHostCode } from '../kernel/host-code.js';
import type { Principal } from '../kernel/principal.js';
import type { FieldPath } from './field.js';

/**
 * Returns the value that replaces a field's redacted value. It is not called if the redacted value
 * is null, so `value` has the type of the field without null.
 */
export type Replacement = (value: never, principal: Principal) => unknown;

/**
 * A rule that hides facts or fields from some principals, or replaces values. The feature defines
 * which facts exist and which values may be replaced.
 */
export interface HidingRule<Fact extends string = string> {
  /** Facts that are removed before the result is built. */
  readonly facts?: readonly Fact[];
  /** Nullable or optional fields of a response, by class and name: `Row.sellingPriceCents`. */
  readonly fields?: readonly FieldPath[];
  /** Replacements by class and name of the field: `Row.statusLabel`. */
  readonly replace?: Readonly<Record<string, Replacement | undefined>>;
  /**
   * Returns whether the rule applies to this principal. Any value other than `false` counts as
   * true.
   */
  readonly from: (principal: Principal) => boolean;
}

/** The facts and fields that the rules hide from one principal. */
export interface HiddenNames {
  readonly facts: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
}

/** Returns the replacement of a value for one principal. */
export type Replace = (value: unknown) => unknown;

/**
 * The replacements of values for one principal, by the path of their field, in the order of their
 * rules.
 */
export type ReplacedFields = ReadonlyMap<string, readonly Replace[]>;

/** The effect of the rules for one principal. */
interface AppliedRules {
  readonly hidden: HiddenNames;
  readonly replaced: ReplacedFields;
}

/** The effect when no rule applies to a principal. */
const NO_RULES: AppliedRules = {
  hidden: { facts: new Set(), fields: new Set() },
  replaced: new Map(),
};

/** The injection token of the host application's redaction rules. */
export const REDACTION_RULES = Symbol('redaction rules');

/** Evaluates the redaction rules, once for each request. */
@Injectable()
export class RedactionRules {
  /** The effects by principal. Each request has its own principal object. */
  readonly #evaluated = new WeakMap<Principal, AppliedRules>();

  constructor(@Inject(REDACTION_RULES) readonly rules: readonly HidingRule[]) {}

  /**
   * Returns the facts and fields that the rules hide from a principal.
   *
   * @throws {AppError} `internal` when a rule fails; nothing may be sent then.
   */
  hiddenFrom(principal: Principal): HiddenNames {
    return this.#applied(principal).hidden;
  }

  /**
   * Returns the replacements for a principal. Several replacements of one field are applied one
   * after the other.
   *
   * @throws {AppError} `internal` when a rule fails; nothing may be sent then.
   */
  replacedFor(principal: Principal): ReplacedFields {
    return this.#applied(principal).replaced;
  }

  #applied(principal: Principal): AppliedRules {
    if (this.rules.length === 0) return NO_RULES;
    const known = this.#evaluated.get(principal);
    if (known) return known;
    const applied = this.rules.filter(
      ({ from }) => callHostCode<unknown>(() => from(principal)) !== false,
    );
    const hidden = {
      facts: new Set(applied.flatMap(({ facts = [] }) => facts)),
      fields: new Set(applied.flatMap(({ fields = [] }) => fields)),
    };
    const rules = { hidden, replaced: replacedBy(applied, principal) };
    this.#evaluated.set(principal, rules);
    return rules;
  }
}

function replacedBy(rules: readonly HidingRule[], principal: Principal): ReplacedFields {
  const replaced = new Map<string, Replace[]>();
  for (const { replace = {} } of rules) {
    for (const [path, replacement] of Object.entries(replace)) {
      if (!replacement) continue;
      const call: Replace = (value) => callHostCode(() => replacement(value as never, principal));
      replaced.set(path, [...(replaced.get(path) ?? []), call]);
    }
  }
  return replaced;
}
