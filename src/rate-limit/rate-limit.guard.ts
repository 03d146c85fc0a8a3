import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerRequest, type ThrottlerStorage } from '@nestjs/throttler';
import { contextOf, principalOf } from '../http/context/request-context.js';
import { DEFAULT_RATE_CLASS } from '../http/policy.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { writeQuotaHeaders } from './quota-headers.js';
import { RateLimitedError, RateLimits } from './rate-limits.js';
import { THROTTLERS, type Throttlers } from './throttlers.js';

/**
 * Enforces the rate limit on routes (contract, section 8), across all endpoints of a class and
 * including HEAD. It follows `AdmissionGuard`, so that only requests that passed rollout and scope
 * are counted. `ThrottlerGuard` selects the throttler of the endpoint's rate class and the limit of
 * the request; `RateLimits` counts. A host application's `ThrottlerModule` has no effect, because
 * options and storage have their own tokens. `EndpointRegistry` checks at the boot that each rate
 * class has a throttler.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @Inject(THROTTLERS) throttlers: Throttlers,
    @Inject(FallbackThrottlerStorage) counters: ThrottlerStorage,
    reflector: Reflector,
    private readonly rateLimits: RateLimits,
  ) {
    super(throttlers, counters, reflector);
  }

  /** Counts a request of the endpoint's rate class and writes the quota headers. */
  protected override async handleRequest({
    context: execution,
    limit,
    ttl: windowMs,
  }: ThrottlerRequest): Promise<boolean> {
    const { policy, response } = contextOf(execution);
    const { rateClass = DEFAULT_RATE_CLASS } = policy;
    const principal = principalOf(execution);
    try {
      const quota = await this.rateLimits.count(rateClass, principal, { limit, windowMs });
      writeQuotaHeaders(response, quota);
      return true;
    } catch (error) {
      if (error instanceof RateLimitedError) writeQuotaHeaders(response, error.quota);
      throw error;
    }
  }
}
