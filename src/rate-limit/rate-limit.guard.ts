import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { contextOf, rawResponse } from '../http/request-context.js';
import { DEFAULT_RATE_CLASS } from '../http/policy.js';
import { AppError } from '../kernel/app-error.js';
import { UsageError } from '../kernel/usage-error.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { QUOTA_HEADER, writeQuotaHeaders } from './quota-headers.js';
import { RATE_LIMITS } from './rate-limits.js';

/**
 * Enforces the rate limit (contract, section 8). There is one count for each rate class and
 * principal, across all endpoints of the class and including HEAD. The buyer's session and each of
 * the buyer's assistants are counted separately. It is the last guard, so that only requests that
 * passed rollout and scope are counted. A host application's `ThrottlerModule` has no effect,
 * because options and storage have their own tokens.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** The number of remaining requests, keyed by the framework's response object. */
  readonly #remaining = new WeakMap<object, number>();

  constructor(
    @Inject(RATE_LIMITS) options: ThrottlerModuleOptions,
    @Inject(FallbackThrottlerStorage) counters: ThrottlerStorage,
    reflector: Reflector,
  ) {
    super(options, counters, reflector);
  }

  /**
   * @throws {UsageError} for a rate class without a throttler, whose requests would not be counted.
   */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { rateClass } = contextOf(context).policy;
    if (this.throttlers.some(({ name }) => name === rateClass)) return super.canActivate(context);
    throw new UsageError(`rate class ${rateClass} is not declared: add it to throttlers`);
  }

  /** Counts the request and writes the quota headers. */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl } = request;
    const isAdmitted = await super.handleRequest(withOwnKey(request));
    const remaining = this.#remaining.get(context.switchToHttp().getResponse<object>());
    // A guard that rejects without throwing has already written the quota of the rejection.
    if (remaining !== undefined && !rawResponse(context).hasHeader(QUOTA_HEADER)) {
      // A request counts for one window, so the remaining quota grows after one window at the
      // latest.
      writeQuota(context, { limit, ttl, remaining, resetSeconds: secondsOf(ttl) });
    }
    return isAdmitted;
  }

  /** Stores the library's figure instead of sending it as `X-RateLimit-Remaining-<class>`. */
  protected override setResponseHeader(
    response: object,
    name: string,
    value: string | number,
  ): void {
    if (name.startsWith(`${this.headerPrefix}-Remaining`)) {
      this.#remaining.set(response, Number(value));
    }
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, ttl, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const retryAfterSeconds = timeToBlockExpire;
    writeQuota(context, { limit, ttl, remaining: 0, resetSeconds: retryAfterSeconds });
    return Promise.reject(new AppError('rate_limited', { retryAfterSeconds }));
  }
}

/** Gives a route its own count if its `@Throttle` changes the limit or the time. */
function withOwnKey(request: ThrottlerRequest): ThrottlerRequest {
  const { context, limit, ttl, throttler, generateKey } = request;
  const isOwn = (own: number, declared: unknown): boolean =>
    typeof declared === 'number' && own !== declared;
  if (!isOwn(limit, throttler.limit) && !isOwn(ttl, throttler.ttl)) return request;
  const route = `${context.getClass().name}.${context.getHandler().name}`;
  return { ...request, generateKey: (...keyParts) => `${generateKey(...keyParts)} ${route}` };
}

interface Count {
  readonly limit: number;
  /** Milliseconds. */
  readonly ttl: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

function writeQuota(context: ExecutionContext, { ttl, ...count }: Count): void {
  // Only the throttler of its rate class counts a request.
  const { rateClass = DEFAULT_RATE_CLASS } = contextOf(context).policy;
  writeQuotaHeaders(rawResponse(context), { rateClass, windowSeconds: secondsOf(ttl), ...count });
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
