import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';
import { SlidingLog } from './sliding-log.js';
import { throttlerRecord } from './throttler-record.js';

/** Rate-limit counters of this process alone: exact, and small also under a great many principals. */
export class SlidingLogStorage extends RateLimitStorage {
  /** One per length of window; the service has one rate class and so one window. */
  readonly #logs = new Map<number, SlidingLog>();
  readonly #key = new Int32Array(4);

  /** @param now milliseconds of a clock that never goes back. */
  constructor(private readonly now: () => number = () => performance.now()) {
    super();
  }

  override increment(key: string, ttlMs: number, limit: number): Promise<ThrottlerRecord> {
    let log = this.#logs.get(ttlMs);
    if (!log) {
      log = new SlidingLog(ttlMs);
      this.#logs.set(ttlMs, log);
    }
    const digest = hash('sha256', key, 'buffer');
    for (let word = 0; word < this.#key.length; word += 1)
      this.#key[word] = digest.readInt32LE(word * 4);
    return Promise.resolve(throttlerRecord(log.admit(this.#key, limit, this.now()), ttlMs));
  }
}
