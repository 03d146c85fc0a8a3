import type { Principal } from '../../kernel/principal.js';
import { hidesFrom, type FieldPath, type FieldRule } from '../../redaction/field-rule.js';
import {
  FACT_OF_FIELD,
  FIELDS_OF_TEXTS,
  LISTING_FACTS,
  NO_HIDDEN_FACTS,
  type HiddenFacts,
  type ListingFact,
} from './listing-facts.js';
import type { RedactionRule } from './redaction-rule.js';

/** The listing facts that the team's rules hide from each principal. */
export class ListingRedaction {
  constructor(private readonly rules: readonly RedactionRule[]) {}

  /** @throws when a rule fails: nothing must be sent then. */
  hiddenFrom(principal: Principal): HiddenFacts {
    if (this.rules.length === 0) return NO_HIDDEN_FACTS;
    const hidden = new Set<ListingFact>();
    for (const rule of this.rules) {
      const facts = rule.hide.filter(isFact);
      if (facts.length > 0 && hidesFrom(rule, principal)) {
        for (const fact of facts) hidden.add(fact);
      }
    }
    return hidden;
  }
}

/**
 * The part of the rules that names fields, for the interceptor.
 *
 * @throws {Error} with one line for each name that is no listing fact and cannot be a field to hide.
 */
export function fieldRules(rules: readonly RedactionRule[]): FieldRule[] {
  const problems = rules.flatMap((rule, index) =>
    problemsOf(rule).map((problem) => `redactionRules[${index}]: ${problem}`),
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return rules.map(({ hide, from }) => ({
    hide: hide.filter((name): name is FieldPath => !isFact(name)),
    from,
  }));
}

/** Types do not bind a caller in JavaScript. */
function problemsOf({ hide, from }: Partial<RedactionRule>): string[] {
  if (!Array.isArray(hide) || typeof from !== 'function') {
    return ['expected { hide: [names], from: (principal) => boolean }'];
  }
  return (hide as readonly string[]).flatMap((name) => {
    if (isFact(name)) return [];
    const fact = FACT_OF_FIELD[name];
    if (fact) return [`display texts repeat ${name}: hide the listing fact ${fact}`];
    if (FIELDS_OF_TEXTS.has(name)) return [`a display text repeats ${name}: it cannot be hidden`];
    if (name.includes('.')) return [];
    return [`unknown listing fact ${name}: expected ${LISTING_FACTS.join(', ')} or a field path`];
  });
}

function isFact(name: string): name is ListingFact {
  return (LISTING_FACTS as readonly string[]).includes(name);
}
