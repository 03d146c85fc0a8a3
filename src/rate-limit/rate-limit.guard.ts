import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import { AppError } from '../kernel/app-error.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { RATE_LIMITS } from './rate-limits.js';

/**
 * The rate limit (contract, section 8): one count for each rate class and principal, over all its endpoints and HEAD.
 * The buyer's own session and each of her assistants count apart. Last of the guards, so that only requests that
 * passed rollout and scope count. A host's `ThrottlerModule` changes nothing: options and storage are of our tokens.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @Inject(RATE_LIMITS) options: ThrottlerModuleOptions,
    @Inject(FallbackThrottlerStorage) counters: FallbackThrottlerStorage,
    reflector: Reflector,
  ) {
    super(options, counters, reflector);
  }

  /** A route whose own `@Throttle` changes limit or time has a count of its own. */
  protected override handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, throttler, generateKey } = request;
    const isOwn = (own: number, declared: unknown): boolean =>
      typeof declared === 'number' && own !== declared;
    if (!isOwn(limit, throttler.limit) && !isOwn(ttl, throttler.ttl)) {
      return super.handleRequest(request);
    }
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    const ownKey: typeof generateKey = (...of) => `${generateKey(...of)} ${route}`;
    return super.handleRequest({ ...request, generateKey: ownKey });
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const retryAfterSeconds = timeToBlockExpire;
    return Promise.reject(new AppError('rate_limited', { retryAfterSeconds }));
  }
}
