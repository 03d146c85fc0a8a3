import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { accessTerms } from '../auth/access.decorator.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';

/**
 * The rate limit of class `read` (contract, section 8): one count per principal, over both endpoints and
 * HEAD. The buyer's own session and each of her assistants count apart. Last of the guards, so that only
 * calls that passed rollout and scope count.
 */
@Injectable()
export class ReadRateGuard extends ThrottlerGuard {
  protected override shouldSkip(execution: ExecutionContext): Promise<boolean> {
    return Promise.resolve(!accessTerms(execution));
  }

  protected override getTracker(request: Record<string, unknown>): Promise<string> {
    const { principal } = (request as unknown as FastifyRequest).raw.context;
    if (!principal) throw new AppError('unauthenticated');
    return Promise.resolve(rateKey(principal));
  }

  /** The library's own key holds the class and the handler, which would give each route a limit of its own. */
  protected override generateKey(_execution: ExecutionContext, tracker: string): string {
    return tracker;
  }

  protected override throwThrottlingException(
    _execution: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    return Promise.reject(new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire }));
  }
}

/** Ids alone, never anything the caller chose for this request: who could vary it would never be limited. */
function rateKey(principal: Principal): string {
  return principal.type === 'session'
    ? `session ${principal.buyerId}`
    : `assistant ${principal.buyerId} ${principal.clientId}`;
}
