import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { withTimeout } from '../kernel/with-timeout.js';

/** The time one sign-in may take, its waits for keys and for a connection included. */
export const SIGN_IN_LIMIT_MS = 1000;

/**
 * Settles as a sign-in's look-ups do, and puts a name to what went wrong with them:
 * - a refutation stays `unauthenticated`;
 * - load shed before the look-up began (`unavailable` with a known wait) and the end of the request's own
 *   time stay `unavailable`;
 * - any other failure, and taking longer than `SIGN_IN_LIMIT_MS`, is `auth_unverifiable`: the credential
 *   was neither confirmed nor refuted.
 */
export async function withAuthTimeout<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const inTime = withTimeout(work, SIGN_IN_LIMIT_MS, () => {
    throw new AppError('auth_unverifiable');
  });
  try {
    return await deadline.race(inTime);
  } catch (error) {
    throw deadline.reason ?? named(error);
  }
}

function named(error: unknown): AppError {
  if (error instanceof AppError) {
    if (error.code === 'unauthenticated') return error;
    if (error.code === 'unavailable' && error.retryAfterSeconds !== undefined) return error;
  }
  return new AppError('auth_unverifiable', { cause: error });
}
