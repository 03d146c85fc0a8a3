import assert from 'node:assert/strict';
import type { Principal, RedactionRule } from '@deal-sets/service';
import { atOnce, type ContractTest } from './contract-test.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** The rule under test, and the principals to test it with. */
export interface RedactionRuleFixture {
  readonly rule: RedactionRule;
  /** Further principals that the rule treats in a special way. */
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
 * The requirements on every redaction rule. Whether the names it hides exist is checked when the
 * service starts.
 */
export function redactionRuleContract({
  rule,
  principals: further = [],
}: RedactionRuleFixture): readonly ContractTest[] {
  const principals = [...EVERYONE, ...further];
  const test = (name: string, work: (principal: Principal) => void): ContractTest =>
    atOnce(name, () => principals.forEach(work));
  return [
    test('says true or false, at once, for every kind of principal', (principal) => {
      assert.equal(typeof rule.from(principal), 'boolean');
    }),

    test('depends on the principal alone', (principal) => {
      const first = rule.from(principal);
      for (const other of principals) rule.from(other);
      assert.equal(rule.from(principal), first);
    }),
  ];
}
