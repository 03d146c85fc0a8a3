import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';

/** The time one sign-in may take, its waits for keys and for a connection included. */
export const SIGN_IN_LIMIT_MS = 1000;

/**
 * Settles as a sign-in's look-ups do, and puts a name to what went wrong with them:
 * - a refutation stays `unauthenticated`;
 * - load shed before the look-up began (`unavailable` with a known wait) and the end of the request's own
 *   time stay `unavailable`;
 * - any other failure, and taking longer than `SIGN_IN_LIMIT_MS`, is `auth_unverifiable`: the credential
 *   was neither confirmed nor refuted.
 *
 * @param work gets the sign-in's own limit: its signal is aborted when the look-ups are given up.
 */
export function withAuthTimeout<T>(
  deadline: Deadline,
  work: (limit: Deadline) => Promise<T>,
): Promise<T> {
  const limit = deadline.within(SIGN_IN_LIMIT_MS);
  return new Promise<T>((resolve, reject) => {
    limit.onEnd(() => reject(deadline.reason ?? new AppError('auth_unverifiable')));
    work(limit).then(
      (value) => {
        limit.finish();
        resolve(value);
      },
      (error: unknown) => {
        limit.finish();
        reject(deadline.reason ?? named(error));
      },
    );
  });
}

function named(error: unknown): AppError {
  if (error instanceof AppError) {
    if (error.code === 'unauthenticated') return error;
    if (error.code === 'unavailable' && error.retryAfterSeconds !== undefined) return error;
  }
  return new AppError('auth_unverifiable', { cause: error });
}
