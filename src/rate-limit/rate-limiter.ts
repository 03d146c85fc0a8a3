import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import {
  DEFAULT_THROTTLER,
  RATE_COUNTERS,
  RATE_LIMITS,
  READ_CLASS,
  type RateLimits,
} from './rate-limits.js';
import { keyOf, trackerOf } from './read-rate.guard.js';

/** The rate limit for callers that come by no route of the service, in the same counts as the guard. */
@Injectable()
export class RateLimiter implements OnModuleInit {
  constructor(
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
    @Inject(RATE_COUNTERS) private readonly counters: ThrottlerStorage,
    private readonly registry: EndpointRegistry,
  ) {}

  /** @throws {Error} naming each endpoint whose rate class is not declared. */
  onModuleInit(): void {
    const problems = this.registry.endpoints
      .filter(({ declared: { rateClass } }) => !this.#find(rateClass))
      .map(({ name, declared }) => `${name}: rate class ${declared.rateClass} is not declared`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /** Limit and window of a class as numbers, for the API description; undefined where they depend on the request. */
  describe(rateClass: string): { readonly limit: number; readonly windowMs: number } | undefined {
    const { limit, ttl } = this.#find(rateClass) ?? {};
    return typeof limit === 'number' && typeof ttl === 'number'
      ? { limit, windowMs: ttl }
      : undefined;
  }

  /**
   * @param rateClass one whose limit does not depend on a request.
   * @throws {AppError} `rate_limited`.
   */
  async count(rateClass: string, principal: Principal): Promise<void> {
    const found = this.describe(rateClass);
    const throttlerName = this.#find(rateClass)?.name ?? DEFAULT_THROTTLER;
    if (!found) throw new Error(`rate class ${rateClass}: declare a limit that is a number`);
    const key = keyOf(rateClass, trackerOf(principal));
    const { isBlocked, timeToBlockExpire } = await this.counters.increment(
      key,
      found.windowMs,
      found.limit,
      0,
      throttlerName,
    );
    if (isBlocked) {
      throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, timeToBlockExpire) });
    }
  }

  #find(rateClass: string): RateLimits['throttlers'][number] | undefined {
    return this.limits.throttlers.find(({ name = READ_CLASS }) => name === rateClass);
  }
}
