import { setTimeout as sleep } from 'node:timers/promises';

/** Somewhat less than the limit of a test, which would not say what was awaited. */
const LIMIT_MS = 280_000;

/** Repeats the expectation until it holds, and fails with its last error when the time is up. */
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
