import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { countRequest } from './count-request.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { keyOf, RATE_LIMITS, trackerOf, type RateLimits } from './throttler-options.js';

/**
 * The rate limit for calls that do not come through a route of the service, with the same counts as
 * the guard.
 */
@Injectable()
export class CallRateLimit {
  constructor(
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
    private readonly counters: FallbackThrottlerStorage,
  ) {}

  /**
   * Returns the limit and the window of a class, for the API description; undefined if they depend
   * on the request.
   */
  limitFor(rateClass: string): { readonly limit: number; readonly windowMs: number } | undefined {
    const found = this.limits.throttlers.find(({ name }) => name === rateClass);
    const { limit, ttl: windowMs } = found ?? {};
    if (typeof limit === 'number' && typeof windowMs === 'number') return { limit, windowMs };
    return undefined;
  }

  /**
   * Counts a call of the principal in a rate class.
   *
   * @param rateClass a class whose limit does not depend on a request.
   * @throws {AppError} `rate_limited` when the limit is used up.
   */
  async consumeOrThrow(rateClass: string, principal: Principal): Promise<void> {
    const found = this.limitFor(rateClass);
    if (!found) throw new Error(`rate class ${rateClass}: declare a limit that is a number`);
    const key = keyOf(rateClass, trackerOf(principal));
    const record = await countRequest(this.counters, { rateClass, key, ...found });
    const { isBlocked, timeToBlockExpire } = record;
    if (isBlocked) throw new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire });
  }
}
