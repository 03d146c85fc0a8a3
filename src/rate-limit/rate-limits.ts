import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { UsageError } from '../kernel/usage-error.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { wholeSeconds } from './throttler-record.js';
import { THROTTLERS, type Throttlers } from './throttlers.js';

/** How many requests a window admits. */
export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/** The quota of a principal in a rate class after a request. */
export interface Quota {
  readonly rateClass: string;
  /** Requests in one window. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that are still admitted now. */
  readonly remaining: number;
  /** Maximum number of seconds until `remaining` grows, if there is no further request. */
  readonly resetSeconds: number;
}

/** The error `rate_limited`, with the quota that the request exceeded. */
export class RateLimitedError extends AppError {
  constructor(readonly quota: Quota) {
    super('rate_limited', { retryAfterSeconds: quota.resetSeconds });
  }
}

/**
 * Counts requests (contract, section 8). There is one count for each rate class and principal: the
 * buyer's session and each of the buyer's assistants are counted separately. `RateLimitGuard`
 * counts the requests of routes here, and `DealSetsApi` those of other protocols.
 */
@Injectable()
export class RateLimits {
  constructor(
    @Inject(THROTTLERS) private readonly throttlers: Throttlers,
    private readonly counters: FallbackThrottlerStorage,
  ) {}

  /** Returns the limit of a class; undefined if it depends on the request. */
  limitOf(rateClass: string): RateLimit | undefined {
    const found = this.throttlers.find(({ name }) => name === rateClass);
    const { limit, ttl: windowMs } = found ?? {};
    if (typeof limit === 'number' && typeof windowMs === 'number') return { limit, windowMs };
    return undefined;
  }

  /**
   * Counts a request of the principal, unless it exceeds the limit.
   *
   * @param rate the limit of this request. Default: that of the class.
   * @returns the quota after the request.
   * @throws {RateLimitedError} when the limit is used up.
   * @throws {UsageError} for a limit that depends on the request and is not given, and for a limit
   *   or a window below 1. With such a window, nothing would be limited.
   */
  async count(
    rateClass: string,
    principal: Principal,
    rate: RateLimit | undefined = this.limitOf(rateClass),
  ): Promise<Quota> {
    if (!rate) throw new UsageError(`throttlers: ${rateClass}: expected a limit that is a number`);
    const { limit, windowMs } = rate;
    if (limit < 1 || windowMs < 1) {
      throw new UsageError(`throttlers: ${rateClass}: expected a limit and a ttl of at least 1`);
    }
    const key = keyOf(rateClass, principal, windowMs);
    // With a block duration, the library would also count rejected requests.
    const blockDuration = 0;
    const record = await this.counters.increment(key, windowMs, limit, blockDuration, rateClass);
    const windowSeconds = wholeSeconds(windowMs);
    const quota = { rateClass, limit, windowSeconds };
    if (record.isBlocked) {
      throw new RateLimitedError({
        ...quota,
        remaining: 0,
        resetSeconds: record.timeToBlockExpire,
      });
    }
    // An admitted request counts for one window, so the quota grows after one window at the latest.
    const remaining = Math.max(0, limit - record.totalHits);
    return { ...quota, remaining, resetSeconds: windowSeconds };
  }
}

/**
 * Returns the key of a count. It consists of ids only, because with anything that a caller can
 * vary, the caller could bypass the limit. Each window has its own count: a shorter window, as
 * `@Throttle` may declare one for a route, would remove hits that a longer one still counts.
 */
function keyOf(rateClass: string, principal: Principal, windowMs: number): string {
  const caller = matchPrincipal(principal, {
    session: ({ buyerId }) => `session ${buyerId}`,
    assistant: ({ buyerId, clientId }) => `assistant ${buyerId} ${clientId}`,
  });
  return `${rateClass} ${caller} ${windowMs}`;
}
