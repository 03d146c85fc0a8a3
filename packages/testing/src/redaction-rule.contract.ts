import assert from 'node:assert/strict';
import type { Principal, RedactionRule } from '@deal-sets/service';
import { atOnce, type ContractTest } from './contract-test.js';
import { ANNA, assistantOf, sessionOf, STRANGER } from './principals.js';

/** The rule under test, with the principals and values to test it with. */
export interface RedactionRuleFixture {
  readonly rule: RedactionRule;
  /** Further principals to test, for example those that the rule treats specially. */
  readonly principals?: readonly Principal[];
  /**
   * Values of the fields that `rule.replace` names, by path. Each value is passed to the function
   * of its path: a text, a list of texts, or a value of a custom field. Every path needs at least
   * one value.
   */
  readonly values?: Readonly<Record<string, readonly unknown[]>>;
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
  values = {},
}: RedactionRuleFixture): readonly ContractTest[] {
  const principals = [...EVERYONE, ...further];
  const test = (name: string, work: (principal: Principal) => void): ContractTest =>
    atOnce(name, () => principals.forEach(work));
  /** Calls each replacement of the rule with each of its values, for one principal. */
  const replaceAll = (principal: Principal): readonly Replaced[] =>
    Object.entries<Replacement | undefined>({ ...rule.replace }).flatMap(([path, replacement]) => {
      if (!replacement) return [];
      const samples = values[path] ?? [];
      assert.ok(samples.length > 0, `the fixture has no value for ${path}: add it to \`values\``);
      return samples.map((value) => ({
        path,
        value,
        result: replacement(structuredClone(value) as never, principal),
      }));
    });
  return [
    test('returns true or false, not a promise, for every kind of principal', (principal) => {
      assert.equal(typeof rule.from(principal), 'boolean');
    }),

    test('depends only on the principal', (principal) => {
      const first = rule.from(principal);
      for (const other of principals) rule.from(other);
      assert.equal(rule.from(principal), first);
    }),

    test('replaces a value with one of the same type, not a promise', (principal) => {
      for (const { path, value, result } of replaceAll(principal)) {
        assert.equal(typeOf(result), typeOf(value), `the replacement of ${path}`);
      }
    }),

    test('makes a replacement depend only on its arguments', (principal) => {
      const first = replaceAll(principal);
      for (const other of principals) replaceAll(other);
      assert.deepEqual(replaceAll(principal), first);
    }),
  ];
}

/** A replacement function of the rule. The type `never` admits functions of any type of value. */
type Replacement = (value: never, principal: Principal) => unknown;

/** A value of a field, and what the rule sends in its place. */
interface Replaced {
  readonly path: string;
  readonly value: unknown;
  readonly result: unknown;
}

/** Returns the type of a field's value. The type of a list includes the types of its items. */
function typeOf(value: unknown): string {
  if (!Array.isArray(value)) return value === null ? 'null' : typeof value;
  return `list of ${[...new Set(value.map(typeOf))].join(' and ')}`;
}
