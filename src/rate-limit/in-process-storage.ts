import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';
import { throttlerRecord } from './throttler-record.js';

/** How often expired logs are removed, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;

/** The admitted hits of a key. */
interface HitLog {
  /** `performance.now()` of each hit, oldest first. */
  readonly times: number[];
  readonly ttlMs: number;
}

/**
 * Rate-limit counters of this process: a sliding log for each key. A rejected hit is not written,
 * so a log has at most as many times as the limit, and it is removed after the window of its newest
 * hit. The logs use a monotonic clock, so that setting the clock of the machine changes no limit.
 */
@Injectable()
export class InProcessStorage extends RateLimitStorage implements OnApplicationShutdown {
  readonly #logs = new Map<string, HitLog>();
  readonly #sweep = setInterval(() => this.#removeExpiredLogs(), SWEEP_INTERVAL_MS).unref();

  override increment(key: string, ttlMs: number, limit: number): Promise<ThrottlerRecord> {
    const now = performance.now();
    const { times } = this.#logOf(key, ttlMs);
    while (isExpired(times[0], ttlMs, now)) times.shift();
    const hits = times.length;
    const isBlocked = hits >= limit;
    if (!isBlocked) times.push(now);
    // The hit that must expire before another is admitted: the oldest, unless the limit was higher
    // in earlier calls.
    const blocking = times[Math.floor(hits - limit)] ?? now;
    const waitMs = blocking + ttlMs - now;
    return Promise.resolve(throttlerRecord({ isBlocked, totalHits: hits + 1, waitMs }, ttlMs));
  }

  onApplicationShutdown(): void {
    clearInterval(this.#sweep);
  }

  #logOf(key: string, ttlMs: number): HitLog {
    const existing = this.#logs.get(key);
    if (existing) return existing;
    const created = { times: [], ttlMs };
    this.#logs.set(key, created);
    return created;
  }

  #removeExpiredLogs(): void {
    const now = performance.now();
    for (const [key, { times, ttlMs }] of this.#logs) {
      const newest = times.at(-1);
      if (newest === undefined || isExpired(newest, ttlMs, now)) this.#logs.delete(key);
    }
  }
}

function isExpired(time: number | undefined, ttlMs: number, now: number): boolean {
  return time !== undefined && time + ttlMs <= now;
}
