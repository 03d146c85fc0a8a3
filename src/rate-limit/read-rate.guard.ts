import { type ExecutionContext, Injectable } from '@nestjs/common';
import {
  ThrottlerGuard,
  type ThrottlerGenerateKeyFunction,
  type ThrottlerGetTrackerFunction,
  type ThrottlerLimitDetail,
} from '@nestjs/throttler';
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
  /**
   * The limit is the contract's, and one for every handler. The library would look for decorators that
   * lift or change it, a dozen look-ups a request; here they have nothing to say.
   */
  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (!accessTerms(execution)) return true;
    const [throttler] = this.throttlers;
    if (!throttler) throw new Error('the rate class "read" has no limit');
    return this.handleRequest({
      context: execution,
      limit: throttler.limit as number,
      ttl: throttler.ttl as number,
      // No block beyond the window itself.
      blockDuration: 0,
      throttler,
      getTracker: trackerOf,
      generateKey: keyOf,
    });
  }

  protected override throwThrottlingException(
    _execution: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    return Promise.reject(new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire }));
  }
}

const trackerOf: ThrottlerGetTrackerFunction = (request) => {
  const { principal } = (request as unknown as FastifyRequest).raw.context;
  if (!principal) throw new AppError('unauthenticated');
  return rateKey(principal);
};

/** The library's own key holds the class and the handler, which would give each route a limit of its own. */
const keyOf: ThrottlerGenerateKeyFunction = (_execution, tracker) => tracker;

/** Ids alone, never anything the caller chose for this request: who could vary it would never be limited. */
function rateKey(principal: Principal): string {
  return principal.type === 'session'
    ? `session ${principal.buyerId}`
    : `assistant ${principal.buyerId} ${principal.clientId}`;
}
