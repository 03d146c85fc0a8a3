/* eslint-disable jest/no-export -- a suite for implementations to run */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { RateLimitStorage, ThrottlerRecord } from '../../src/rate-limit/rate-limit-storage.js';

/**
 * What every store of rate-limit counters must do; run it against your own:
 *
 * ```ts
 * describe('my counters', () => throttlerStorageContract(() => storage));
 * ```
 *
 * @param storageOf gives the storage, and where several instances can share counters, another view of
 *   the same ones for the second argument `other`.
 */
export function throttlerStorageContract(
  storageOf: (view: 'one' | 'other') => Pick<RateLimitStorage, 'increment'>,
): void {
  let key: string;

  beforeEach(() => {
    key = `session ${randomUUID()}`;
  });

  function hit(
    ttlMs: number,
    limit: number,
    view: 'one' | 'other' = 'one',
  ): Promise<ThrottlerRecord> {
    return storageOf(view).increment(key, ttlMs, limit, 0, 'default');
  }

  it('admits as many hits as the limit, and no more', async () => {
    const records = [];
    for (let call = 0; call < 5; call += 1) records.push(await hit(60_000, 3));
    expect(records.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true, true]);
    expect(records.slice(0, 3).map(({ totalHits }) => totalHits)).toEqual([1, 2, 3]);
  });

  it('gives whole seconds to wait, at least 1 and at most the window', async () => {
    await hit(60_000, 1);
    const { timeToBlockExpire } = await hit(60_000, 1);
    expect(Number.isInteger(timeToBlockExpire)).toBe(true);
    expect(timeToBlockExpire).toBeGreaterThanOrEqual(59);
    expect(timeToBlockExpire).toBeLessThanOrEqual(60);
    await pause(5);
    key = `${key} short`;
    await hit(300, 1);
    expect((await hit(300, 1)).timeToBlockExpire).toBe(1);
  });

  it('gives no time to wait to a hit that it admits', async () => {
    expect((await hit(60_000, 1)).timeToBlockExpire).toBe(0);
  });

  it('admits a hit after the wait that it gave', async () => {
    for (let round = 0; round < 2; round += 1) {
      let record = await hit(1000, 2);
      while (!record.isBlocked) record = await hit(1000, 2);
      await fullPause(record.timeToBlockExpire * 1000);
      expect((await hit(1000, 2)).isBlocked).toBe(false);
    }
  });

  it('does not count refused hits', async () => {
    await hit(2000, 1);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1000) {
      await hit(2000, 1);
      await pause(20);
    }
    await fullPause(2100 - (performance.now() - startedAt));
    expect((await hit(2000, 1)).isBlocked).toBe(false);
  });

  it('lets hits go one by one, as they came', async () => {
    // Wide gaps, so that a slow machine does not let the second hit go too.
    await hit(2000, 2);
    await fullPause(1500);
    await hit(2000, 2);
    await fullPause(600);
    expect((await hit(2000, 2)).isBlocked).toBe(false);
    expect((await hit(2000, 2)).isBlocked).toBe(true);
  });

  it('keeps keys apart', async () => {
    await hit(60_000, 1);
    key = `${key} other`;
    expect((await hit(60_000, 1)).isBlocked).toBe(false);
  });

  it('is exact under 1,000 parallel hits, from two instances where they share', async () => {
    const hits = Array.from({ length: 1000 }, (_, call) =>
      hit(60_000, 120, call % 2 ? 'one' : 'other'),
    );
    const records = await Promise.all(hits);
    expect(records.filter(({ isBlocked }) => !isBlocked)).toHaveLength(120);
  });
}

/** Waits at least so long. Node's timers count whole milliseconds of the event loop and may fire 1 ms early. */
async function fullPause(milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  for (let left = milliseconds; left > 0; left = until - performance.now()) await pause(left);
}
