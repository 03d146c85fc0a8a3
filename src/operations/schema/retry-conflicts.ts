import { setTimeout as sleep } from 'node:timers/promises';

/** A deadlock, two writers that cannot follow each other, and a wait for a lock that took too long. */
const CONFLICTS: ReadonlySet<string> = new Set(['40P01', '40001', '55P03']);

/**
 * Runs a writer's work, and again when PostgreSQL ended it for the sake of another writer.
 *
 * @param work one transaction, or one statement; what it did is undone when it rejects.
 * @param further SQLSTATEs after which the work is worth another attempt.
 * @param pauseMs the longest pause before the second attempt, tenfold later; left to chance, so that two do not meet again.
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
