import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats the expectation until it holds, and fails as it does when the time is up. */
export async function eventually(expectation: () => unknown, limitMs = 5_000): Promise<void> {
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
