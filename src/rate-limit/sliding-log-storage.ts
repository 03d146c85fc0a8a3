import { performance } from 'node:perf_hooks';
import { RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';
import { SlidingLog } from './sliding-log.js';
import { throttlerRecord } from './throttler-record.js';

/** Rate-limit counters in the memory of this process. */
export class SlidingLogStorage extends RateLimitStorage {
  /** One for each length of window. */
  readonly #logs = new Map<number, SlidingLog>();

  /** @param now milliseconds of a monotonic clock. */
  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  override increment(key: string, ttlMs: number, limit: number): Promise<ThrottlerRecord> {
    let log = this.#logs.get(ttlMs);
    if (!log) {
      log = new SlidingLog(ttlMs);
      this.#logs.set(ttlMs, log);
    }
    return Promise.resolve(throttlerRecord(log.admit(key, limit, this.now()), ttlMs));
  }
}
