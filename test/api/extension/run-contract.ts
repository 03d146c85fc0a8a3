/* eslint-disable jest/no-export -- registers the suites of other files */
import type { ContractTest } from '../../../packages/testing/src/contract-test.js';

/** Registers a contract suite with Jest. */
export function runContract(tests: readonly ContractTest[]): void {
  it.each(tests.map((test) => [test.name, test] as const))('%s', (_name, test) => test.run());
}

/**
 * The same for tests that mostly wait and share nothing: all start when the first does, and each reports its own
 * outcome.
 */
export function runContractTogether(tests: readonly ContractTest[]): void {
  let outcomes: Map<ContractTest, Promise<void>>;
  beforeAll(() => {
    outcomes = new Map(tests.map((test) => [test, test.run()]));
    for (const outcome of outcomes.values()) outcome.catch(() => undefined);
  });
  it.each(tests.map((test) => [test.name, test] as const))('%s', (_name, test) =>
    outcomes.get(test),
  );
}
