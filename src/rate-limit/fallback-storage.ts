import { performance } from 'node:perf_hooks';
import { Deadline } from '../kernel/deadline.js';
import { errorFields } from '../observability/error-fields.js';
import type { Log } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';
import { RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';

/** How long a call waits for the shared counters. */
const SHARED_LIMIT_MS = 300;

/** After a failure, calls do not wait for the shared counters for so long; then one call tries them. */
const PAUSE_AFTER_FAILURE_MS = 1000;

/**
 * Shared counters, with those of this process in reserve. When the shared ones fail or are late, calls are
 * counted here at the same limit, so that no caller meets an error or a hang because of them; between the
 * instances a principal may then make up to the limit on each. The shared ones are taken up again alone.
 */
export class FallbackStorage extends RateLimitStorage {
  #sharedFrom = 0;
  #isShared = true;

  constructor(
    private readonly shared: RateLimitStorage,
    private readonly own: RateLimitStorage,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {
    super();
    metrics.sharedCountersUp.set(1);
  }

  override async increment(...hit: Hit): Promise<ThrottlerRecord> {
    const now = performance.now();
    if (!this.#isShared) {
      if (now < this.#sharedFrom) return this.#countHere(hit);
      // This call tries; those that come meanwhile do not wait for it.
      this.#sharedFrom = now + PAUSE_AFTER_FAILURE_MS;
    }
    try {
      const record = await this.#askShared(hit);
      this.#found();
      return record;
    } catch (error) {
      this.#lost(error);
      return this.#countHere(hit);
    }
  }

  async #askShared([key, ttl, limit, block, name]: Hit): Promise<ThrottlerRecord> {
    const limitOfCall = new Deadline(SHARED_LIMIT_MS);
    try {
      return checked(
        await inTime(this.shared.increment(key, ttl, limit, block, name, limitOfCall), limitOfCall),
      );
    } finally {
      limitOfCall.finish();
    }
  }

  #countHere(hit: Hit): Promise<ThrottlerRecord> {
    this.metrics.rateFallbacks.inc();
    return this.own.increment(...hit);
  }

  #found(): void {
    if (this.#isShared) return;
    this.#isShared = true;
    this.metrics.sharedCountersUp.set(1);
    this.log.info({}, 'shared rate-limit store available again');
  }

  #lost(error: unknown): void {
    this.#sharedFrom = performance.now() + PAUSE_AFTER_FAILURE_MS;
    if (!this.#isShared) return;
    this.#isShared = false;
    this.metrics.sharedCountersUp.set(0);
    this.log.error(
      errorFields(error),
      'shared rate-limit store unavailable, using in-memory counters',
    );
  }
}

type Hit = Parameters<RateLimitStorage['increment']>;

/** A record without `isBlocked` counts as a failure, never as an admission. */
function checked(record: ThrottlerRecord | undefined): ThrottlerRecord {
  if (typeof record?.isBlocked !== 'boolean' || !Number.isFinite(record.timeToBlockExpire)) {
    throw new Error('shared rate-limit store returned an incomplete record');
  }
  return record;
}

/**
 * Rejects when the work is late. In a burst the reply may have arrived, unread, when the timer fires:
 * one more turn of the event loop reads it before the work counts as late.
 */
function inTime<T>(work: Promise<T>, limit: Deadline): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = (): void => reject(new Error('shared rate-limit store timed out'));
    limit.onEnd(() => setImmediate(() => setImmediate(late)));
    work.then(resolve, reject);
  });
}
