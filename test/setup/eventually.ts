import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Far longer than anything takes that is waited for, also on a machine that is busy with other
 * work.
 */
const LIMIT_MS = 30_000;

/** Repeats the expectation until it holds, and fails as it does when the time is up. */
export async function eventually(expectation: () => unknown, limitMs = LIMIT_MS): Promise<void> {
  const until = Date.now() + limitMs;
  for (;;) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(20);
    }
  }
}
