/**
 * A requirement of a port's contract, for any test runner:
 *
 * ```ts
 * for (const { name, run } of sessionStoreContract(fixture)) it(name, run);
 * ```
 *
 * `run` rejects with an `AssertionError` of `node:assert` when the requirement is not met. Tests of
 * a suite are independent of each other and of their order.
 */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The time limit that the calls of one test share: the service's own limit of a request. */
const LIMIT_MS = 8000;

/** A test whose calls get a signal, as in the service. */
export function inTime(name: string, work: (signal: AbortSignal) => Promise<void>): ContractTest {
  return { name, run: () => work(AbortSignal.timeout(LIMIT_MS)) };
}

/** A test of an implementation without I/O. */
export function atOnce(name: string, work: () => void): ContractTest {
  return { name, run: () => Promise.resolve().then(work) };
}
