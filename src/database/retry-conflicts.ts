import { setTimeout as sleep } from 'node:timers/promises';

/** A deadlock, a serialization failure and a lock timeout. */
const CONFLICTS: ReadonlySet<string> = new Set(['40P01', '40001', '55P03']);

/**
 * Runs a writer's work, and repeats it if PostgreSQL aborted it because of another writer.
 *
 * @param work one transaction or one statement, which has no effect if it rejects.
 * @param further SQLSTATEs that also justify another attempt.
 * @param pauseMs the longest pause before the second attempt, in milliseconds. The longest pause
 *   before later attempts grows, up to ten times this value. Each pause is random, so that two
 *   writers do not collide again.
 */
export async function retryConflicts<T>(
  work: () => Promise<T>,
  further: readonly string[] = [],
  { maxAttempts = 10, pauseMs = 50 } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const { code = '' } = Object(error) as { readonly code?: string };
      const mayTryAgain = CONFLICTS.has(code) || further.includes(code);
      if (attempt >= maxAttempts || !mayTryAgain) throw error;
      await sleep(Math.random() * pauseMs * Math.min(attempt, 10));
    }
  }
}
