/* eslint-disable jest/no-export -- registers the suites of other files */
import type { ContractTest } from '../../../packages/testing/src/contract-test.js';

const outcomeOf = new Map<ContractTest, Promise<void>>();

/** Registers a contract suite with Jest. */
export function runContract(tests: readonly ContractTest[]): void {
  it.each(tests.map((test) => [test.name, test] as const))(
    '%s',
    (_name, test) => outcomeOf.get(test) ?? test.run(),
  );
}

/**
 * Registers a suite of tests that mostly wait and share nothing: all start when the first one does.
 */
export function runContractTogether(tests: readonly ContractTest[]): void {
  beforeAll(() => {
    for (const test of tests) outcomeOf.set(test, test.run());
    for (const outcome of outcomeOf.values()) outcome.catch(() => undefined);
  });
  runContract(tests);
}
