/**
 * One requirement of a port's contract, as a test for any test runner:
 *
 * ```ts
 * for (const { name, run } of sessionStoreContract(fixture)) it(name, run);
 * ```
 *
 * `run` rejects with an `AssertionError` of `node:assert` if the requirement is not met. The tests
 * of a suite are independent of each other and of their order.
 */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The time limit that the calls of one test share, in milliseconds: the service's deadline. */
const LIMIT_MS = 8000;

/** Creates a test whose calls receive a signal that aborts after the service's deadline. */
export function inTime(name: string, work: (signal: AbortSignal) => Promise<void>): ContractTest {
  return { name, run: () => work(AbortSignal.timeout(LIMIT_MS)) };
}

/** Creates a test of an implementation without I/O. */
export function atOnce(name: string, work: () => void): ContractTest {
  return { name, run: () => Promise.resolve().then(work) };
}
