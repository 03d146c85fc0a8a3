import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { Deadline } from '../kernel/deadline.js';

/**
 * One demand of a port's contract, for any test runner:
 *
 * ```ts
 * for (const { name, run } of sessionStoreContract(fixture)) it(name, run);
 * ```
 *
 * `run` rejects with an `AssertionError` of `node:assert` when the demand is not met. Tests of one suite are
 * independent of each other and of their order.
 */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** A test whose calls share a deadline as long as the service's. */
export function inTime(name: string, work: (deadline: Deadline) => Promise<void>): ContractTest {
  return {
    name,
    async run() {
      const deadline = new Deadline(8000);
      try {
        await work(deadline);
      } finally {
        deadline.finish();
      }
    },
  };
}

/** For `assert.rejects`: an `AppError` with this code; the service takes any other error for a failure. */
export function hasCode(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
