import assert from 'node:assert/strict';
import type { Principal, RedactionRule } from '@deal-sets/service';
import { atOnce, type ContractTest } from './contract-test.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** The rule under test, with the principals to test it with. */
export interface RedactionRuleFixture {
  readonly rule: RedactionRule;
  /** Further principals to test, for example those that the rule treats specially. */
  readonly principals?: readonly Principal[];
}

const EVERYONE: readonly Principal[] = [
  sessionOf(ANNA),
  sessionOf(STRANGER),
  assistantOf(ANNA),
  assistantOf(STRANGER, { clientId: 'https://assistant.example/client.json' }),
  assistantOf(ANNA, { isHosted: true }),
  assistantOf(ANNA, { seesChanges: true, scopes: new Set() }),
];

/**
 * Returns the tests of a redaction rule. They do not check whether the names that the rule hides
 * exist, because the service checks this when it starts.
 */
export function redactionRuleContract({
  rule,
  principals: further = [],
}: RedactionRuleFixture): readonly ContractTest[] {
  const principals = [...EVERYONE, ...further];
  const test = (name: string, work: (principal: Principal) => void): ContractTest =>
    atOnce(name, () => principals.forEach(work));
  return [
    test('returns true or false, not a promise, for every kind of principal', (principal) => {
      assert.equal(typeof rule.from(principal), 'boolean');
    }),

    test('depends only on the principal', (principal) => {
      const first = rule.from(principal);
      for (const other of principals) rule.from(other);
      assert.equal(rule.from(principal), first);
    }),
  ];
}
