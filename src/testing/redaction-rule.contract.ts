import assert from 'node:assert/strict';
import type { Principal } from '../kernel/principal.js';
import type { ContractTest } from './contract-test.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** How the suite asks a rule. */
export interface RedactionRuleFixture {
  /** What the rule under test hides from this principal. */
  readonly hiddenFrom: (principal: Principal) => readonly string[];
  /** Further principals that the rule treats in a way of its own. */
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

/** What every redaction rule must do; whether the fields exist is checked when the service starts. */
export function redactionRuleContract(fixture: RedactionRuleFixture): readonly ContractTest[] {
  const principals = [...EVERYONE, ...(fixture.principals ?? [])];
  const test = (name: string, work: (principal: Principal) => void): ContractTest => ({
    name,
    async run() {
      await Promise.resolve();
      for (const principal of principals) work(principal);
    },
  });
  return [
    test('names texts, at once, for every kind of principal', (principal) => {
      const hidden: unknown = fixture.hiddenFrom(principal);
      assert.ok(Array.isArray(hidden), 'the rule did not return an array');
      for (const path of hidden) assert.equal(typeof path, 'string');
    }),

    test('depends on the principal alone', (principal) => {
      const first = [...fixture.hiddenFrom(principal)];
      for (const other of principals) fixture.hiddenFrom(other);
      assert.deepEqual([...fixture.hiddenFrom(principal)], first);
    }),
  ];
}
