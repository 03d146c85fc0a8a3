import { setTimeout as sleep } from 'node:timers/promises';
import { CONTRACT_DEADLINE_MS } from '../../src/kernel/deadline.js';

const isFaultPlanted = (process.env['PLANTED_FAULT'] ?? '[]') !== '[]';
/**
 * Somewhat less than the limit of a test, which would not say what was awaited. What a planted fault
 * prevents never comes.
 */
const LIMIT_MS = isFaultPlanted ? 60_000 : 280_000;

/**
 * Repeats the expectation until it holds, and fails with its last error shortly before the limit of
 * the test.
 */
export async function eventually(expectation: () => unknown): Promise<void> {
  const until = Date.now() + LIMIT_MS;
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

/**
 * Shows that something ends before the deadline of a request, which would end it too. An attempt
 * that takes longer, on a busy machine, shows nothing and is repeated.
 */
export async function beforeDeadline(attempt: () => Promise<void>): Promise<void> {
  for (let repetitions = 0; repetitions < 10; repetitions += 1) {
    const startedAt = performance.now();
    await attempt();
    if (performance.now() - startedAt < CONTRACT_DEADLINE_MS) return;
  }
  throw new Error('it never ended before the deadline');
}
