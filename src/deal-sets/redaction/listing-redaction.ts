import type { Principal } from '../../kernel/principal.js';
import type { FieldPath } from '../../redaction/field.js';
import { hiddenBy, type FieldRule } from '../../redaction/response-redaction.js';
import {
  FACT_OF_FIELD,
  FIELDS_OF_TEXTS,
  LISTING_FACTS,
  type HiddenFacts,
  type ListingFact,
} from './listing-facts.js';
import type { RedactionRule } from './redaction-rule.js';

/** The listing facts that the team's rules hide from each principal. */
export class ListingRedaction {
  constructor(private readonly rules: readonly RedactionRule[]) {}

  /** @throws when a rule fails: nothing must be sent then. */
  hiddenFrom(principal: Principal): HiddenFacts {
    const ofFacts = this.rules.map(({ hide, from }) => ({ hide: hide.filter(isFact), from }));
    return hiddenBy(ofFacts, principal);
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
