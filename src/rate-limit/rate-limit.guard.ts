import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { contextOf } from '../http/context/request-context.js';
import { DEFAULT_RATE_CLASS } from '../http/policy.js';
import { AppError } from '../kernel/app-error.js';
import { countRequest } from './count-request.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { writeQuotaHeaders } from './quota-headers.js';
import { RATE_LIMITS } from './throttler-options.js';
import { wholeSeconds } from './throttler-record.js';

/**
 * Enforces the rate limit (contract, section 8). There is one count for each rate class and
 * principal, across all endpoints of the class and including HEAD. The buyer's session and each of
 * the buyer's assistants are counted separately. It is the last guard, so that only requests that
 * passed rollout and scope are counted. A host application's `ThrottlerModule` has no effect,
 * because options and storage have their own tokens. `EndpointRegistry` checks at the boot that
 * each rate class has a throttler.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @Inject(RATE_LIMITS) options: ThrottlerModuleOptions,
    @Inject(FallbackThrottlerStorage) counters: ThrottlerStorage,
    reflector: Reflector,
  ) {
    super(options, counters, reflector);
  }

  /**
   * Counts the request and writes the quota headers. The throttler calls this method for the rate
   * class of the endpoint, with the limit and the window of the request.
   */
  protected override async handleRequest({
    context,
    limit,
    ttl,
    getTracker,
    generateKey,
  }: ThrottlerRequest): Promise<boolean> {
    const { policy, response } = contextOf(context);
    const { rateClass = DEFAULT_RATE_CLASS } = policy;
    const tracker = await getTracker(this.getRequestResponse(context).req, context);
    const key = generateKey(context, tracker, rateClass);
    const request = { rateClass, key, limit, windowMs: ttl };
    const record = await countRequest(this.storageService, request);
    const { isBlocked, totalHits, timeToBlockExpire } = record;
    const windowSeconds = wholeSeconds(ttl);
    writeQuotaHeaders(response, {
      rateClass,
      limit,
      windowSeconds,
      remaining: isBlocked ? 0 : Math.max(0, limit - totalHits),
      // An admitted request counts for one window, so the remaining quota grows after one window at
      // the latest.
      resetSeconds: isBlocked ? timeToBlockExpire : windowSeconds,
    });
    if (isBlocked) {
      await this.throwThrottlingException(context, { ...record, limit, ttl, key, tracker });
    }
    return true;
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    return Promise.reject(new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire }));
  }
}
