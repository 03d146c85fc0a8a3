/* eslint-disable jest/no-export -- registers the suites of other files */
import type { ContractTest } from '../../src/testing/contract-test.js';

/** Registers a contract suite with Jest. */
export function runContract(tests: readonly ContractTest[]): void {
  it.each(tests.map((test) => [test.name, test] as const))('%s', (_name, test) => test.run());
}
