import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';

/**
 * The rate limit (contract, section 8): one count for each rate class and principal, over all endpoints of
 * the class and HEAD. The buyer's own session and each of her assistants count apart. Last of the guards,
 * so that only requests that passed rollout and scope count.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /**
   * Replaces the library's loop over throttlers, which looks up a dozen decorators on every request that
   * lift or change a limit: here the endpoint's declaration alone decides.
   */
  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    const policy = endpointPolicy(execution);
    if (!policy) return true;
    const [throttler] = this.throttlers;
    if (!throttler) throw new Error('no rate limit is configured');
    const limit = valueOf(throttler.limit, execution);
    const ttl = valueOf(throttler.ttl, execution);
    const { getTracker, generateKey } = this.commonOptions;
    if (!getTracker || !generateKey) throw new Error('the rate limit guard is not initialised');
    const admission = this.handleRequest({
      context: execution,
      limit: typeof limit === 'number' ? limit : await limit,
      ttl: typeof ttl === 'number' ? ttl : await ttl,
      // No block beyond the window itself.
      blockDuration: 0,
      throttler,
      getTracker,
      generateKey,
    });
    if (!policy.protocol) return admission;
    try {
      return await admission;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
      const { raw } = execution.switchToHttp().getRequest<FastifyRequest>();
      raw.context.rateLimitRefusal = error;
      return true;
    }
  }

  protected override getTracker(request: Record<string, unknown>): Promise<string> {
    const { principal } = (request as unknown as FastifyRequest).raw.context;
    if (!principal) throw new AppError('unauthenticated');
    return Promise.resolve(callerOf(principal));
  }

  /** The library's own key holds the handler, which would give each route a limit of its own. */
  protected override generateKey(execution: ExecutionContext, tracker: string): string {
    return keyOf(endpointPolicy(execution)?.rateClass ?? '', tracker);
  }

  protected override throwThrottlingException(
    _execution: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    return Promise.reject(new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire }));
  }
}

type Resolvable = ThrottlerGuard['throttlers'][number]['limit'];

function valueOf(value: Resolvable, execution: ExecutionContext): number | Promise<number> {
  return typeof value === 'function' ? value(execution) : value;
}

/** The key of a count. */
export function keyOf(rateClass: string, caller: string): string {
  return `${rateClass} ${caller}`;
}

/** Ids alone, never anything that the caller can vary from request to request to escape the limit. */
export function callerOf(principal: Principal): string {
  return matchPrincipal(principal, {
    session: ({ buyerId }) => `session ${buyerId}`,
    assistant: ({ buyerId, clientId }) => `assistant ${buyerId} ${clientId}`,
  });
}
