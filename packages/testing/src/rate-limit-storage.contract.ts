import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { RateLimitStorage } from '@deal-sets/service';
import type { ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-provider.js';

/** The storage under test. */
export interface RateLimitStorageFixture {
  /**
   * Returns the storage under test. If several instances can share counters, the view `second`
   * returns a second instance on the same counters; otherwise both views return the same storage.
   */
  readonly storage: (view: 'first' | 'second') => Pick<RateLimitStorage, 'increment'>;
  /**
   * Creates a storage whose counters hang; null if all calls share one connection, or if no call
   * needs a connection.
   */
  readonly hung: HungFixture<Pick<RateLimitStorage, 'increment'>>;
}

type Hit = (
  key: string,
  ttlMs: number,
  limit: number,
  view?: 'first' | 'second',
) => ReturnType<RateLimitStorage['increment']>;

/** Returns the tests of a storage of rate-limit counters. The longest takes about 4 seconds. */
export function rateLimitStorageContract({
  storage,
  hung,
}: RateLimitStorageFixture): readonly ContractTest[] {
  const hit: Hit = (key, ttlMs, limit, view = 'first') =>
    storage(view).increment(key, ttlMs, limit, 0, 'default');
  const test = (name: string, work: (key: string) => Promise<void>): ContractTest => ({
    name,
    run: () => work(`session ${randomUUID()}`),
  });
  return [
    test('admits exactly as many hits as the limit', async (key) => {
      const records: Awaited<ReturnType<Hit>>[] = [];
      for (let call = 0; call < 5; call += 1) records.push(await hit(key, 60_000, 3));
      assert.deepEqual(
        records.map(({ isBlocked }) => isBlocked),
        [false, false, false, true, true],
      );
      assert.deepEqual(
        records.slice(0, 3).map(({ totalHits }) => totalHits),
        [1, 2, 3],
      );
    }),

    test('returns the wait in whole seconds, at least 1 and at most the window', async (key) => {
      await hit(key, 60_000, 1);
      const { timeToBlockExpire } = await hit(key, 60_000, 1);
      assert.ok([59, 60].includes(timeToBlockExpire), `${timeToBlockExpire} s of a window of 60 s`);
      await pause(5);
      await hit(`${key} short`, 1000, 1);
      assert.equal((await hit(`${key} short`, 1000, 1)).timeToBlockExpire, 1);
    }),

    test('returns no wait for an admitted hit', async (key) => {
      assert.equal((await hit(key, 60_000, 1)).timeToBlockExpire, 0);
    }),

    test('admits a caller that has waited for the returned time', async (key) => {
      for (let round = 0; round < 2; round += 1) {
        let record = await hit(key, 2000, 2);
        while (!record.isBlocked) record = await hit(key, 2000, 2);
        await fullPause(record.timeToBlockExpire * 1000);
        assert.equal((await hit(key, 2000, 2)).isBlocked, false);
      }
    }),

    test('does not count rejected hits', async (key) => {
      await hit(key, 2000, 1);
      const startedAt = performance.now();
      while (performance.now() - startedAt < 1000) {
        await hit(key, 2000, 1);
        await pause(20);
      }
      await fullPause(2100 - (performance.now() - startedAt));
      assert.equal((await hit(key, 2000, 1)).isBlocked, false);
    }),

    test('forgets hits one by one, each after the window', async (key) => {
      // The gaps are wide, so that the second hit is still counted on a slow machine.
      await hit(key, 4000, 2);
      await fullPause(3000);
      await hit(key, 4000, 2);
      await fullPause(1100);
      assert.equal((await hit(key, 4000, 2)).isBlocked, false);
      assert.equal((await hit(key, 4000, 2)).isBlocked, true);
    }),

    test('counts each key separately', async (key) => {
      await hit(key, 60_000, 1);
      assert.equal((await hit(`${key} other`, 60_000, 1)).isBlocked, false);
    }),

    test('counts 1,000 parallel hits exactly, also across instances that share counters', async (key) => {
      const hits = Array.from({ length: 1000 }, (_, call) =>
        hit(key, 60_000, 120, call % 2 ? 'first' : 'second'),
      );
      const records = await Promise.all(hits);
      assert.equal(records.filter(({ isBlocked }) => !isBlocked).length, 120);
    }),

    ...givesUpHungCalls(hung, (storage, signal) =>
      storage.increment(`session ${randomUUID()}`, 60_000, 1, 0, 'default', signal),
    ),
  ];
}

/**
 * Waits at least this long. Node's timers count whole milliseconds of the event loop and may fire
 * 1 ms early.
 */
async function fullPause(milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  for (let left = milliseconds; left > 0; left = until - performance.now()) await pause(left);
}
