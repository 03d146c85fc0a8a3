import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import type { FieldPath } from './field.js';

/**
 * A rule that hides facts or fields from some principals. The feature names the facts that there
 * are.
 */
export interface HidingRule<Fact extends string = string> {
  /** Facts that are removed before a result is made of them. */
  readonly facts?: readonly Fact[];
  /** Nullable or optional fields of a response, by class and name: `Row.sellingPriceCents`. */
  readonly fields?: readonly FieldPath[];
  /** Returns whether the rule hides from this principal. Any value other than `false` hides. */
  readonly from: (principal: Principal) => boolean;
}

/** What the rules hide from one principal. */
export interface HiddenNames {
  readonly facts: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
}

/** Nothing is hidden: the answer where no rule hides from a principal. */
export const NOTHING_HIDDEN: HiddenNames = { facts: new Set(), fields: new Set() };

/** The injection token of the host application's redaction rules. */
export const REDACTION_RULES = Symbol('redaction rules');

/** Evaluates the redaction rules, once for each request. */
@Injectable()
export class RedactionRules {
  /** A principal is an object of one request. */
  readonly #evaluated = new WeakMap<Principal, HiddenNames>();

  constructor(@Inject(REDACTION_RULES) readonly rules: readonly HidingRule[]) {}

  /**
   * Returns what the rules hide from a principal.
   *
   * @throws the error of a rule; nothing may be sent then.
   */
  hiddenFrom(principal: Principal): HiddenNames {
    if (this.rules.length === 0) return NOTHING_HIDDEN;
    const known = this.#evaluated.get(principal);
    if (known) return known;
    const hiding = this.rules.filter(({ from }) => hides(from(principal)));
    const hidden = {
      facts: new Set(hiding.flatMap(({ facts = [] }) => facts)),
      fields: new Set(hiding.flatMap(({ fields = [] }) => fields)),
    };
    this.#evaluated.set(principal, hidden);
    return hidden;
  }
}

function hides(answer: unknown): boolean {
  // A rule must not return a promise. If it does, an unhandled rejection would end the process.
  Promise.resolve(answer).catch(() => undefined);
  return answer !== false;
}
