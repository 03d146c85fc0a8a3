import { Inject, Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { Metrics } from '../observability/metrics.js';
import { InProcessStorage } from './in-process-storage.js';
import { RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';

/**
 * How long calls skip the shared counters after a failure, in milliseconds. Then one call tries
 * them again.
 */
const PAUSE_AFTER_FAILURE_MS = 1000;

type Hit = Parameters<ThrottlerStorage['increment']>;

/**
 * Uses the shared counters if there are any, and the counters of this process while the shared ones
 * fail, so that no caller sees an error or a delay. During such a failure, a principal may use the
 * full limit on each instance.
 */
@Injectable()
export class FallbackThrottlerStorage implements ThrottlerStorage {
  /** When the next call tries the shared counters after a failure; undefined while they work. */
  #nextTryAt: number | undefined;

  constructor(
    private readonly shared: RateLimitStorage,
    @Inject(InProcessStorage) private readonly inProcess: ThrottlerStorage,
    private readonly logger: ServiceLogger,
    private readonly metrics: Metrics,
    private readonly limits: TimeLimits,
  ) {
    if (shared === inProcess) return;
    metrics.registry.registerMetric(metrics.sharedCountersUp);
  }

  async increment(...hit: Hit): Promise<ThrottlerRecord> {
    if (this.shared === this.inProcess) return this.inProcess.increment(...hit);
    const now = performance.now();
    if (this.#nextTryAt !== undefined) {
      if (now < this.#nextTryAt) return this.#countHere(hit);
      // Only this call tries the shared store again. Other calls are counted here and do not wait.
      this.#nextTryAt = now + PAUSE_AFTER_FAILURE_MS;
    }
    try {
      const count = (signal: AbortSignal) => this.shared.increment(...hit, signal);
      const record = await withTimeLimit(this.limits.sharedCountMs, undefined, count);
      // An incomplete record counts as a failure, never as an admission.
      if (typeof (record as Partial<ThrottlerRecord> | undefined)?.isBlocked !== 'boolean') {
        throw new Error('shared rate-limit store returned an incomplete record');
      }
      if (this.#nextTryAt !== undefined) {
        this.logger.log({ msg: 'shared rate-limit store available again' });
      }
      this.#nextTryAt = undefined;
      this.metrics.sharedCountersUp.set(1);
      return record;
    } catch (error) {
      if (this.#nextTryAt === undefined) {
        const message = 'shared rate-limit store unavailable, using in-memory counters';
        this.logger.error({ msg: message, ...errorFields(error) });
      }
      this.#nextTryAt = performance.now() + PAUSE_AFTER_FAILURE_MS;
      this.metrics.sharedCountersUp.set(0);
      return this.#countHere(hit);
    }
  }

  #countHere(hit: Hit): Promise<ThrottlerRecord> {
    this.metrics.rateFallbacks.inc();
    return this.inProcess.increment(...hit);
  }
}
