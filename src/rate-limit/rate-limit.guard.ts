import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { countHit } from './count-hit.js';

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
    const { context } = execution.switchToHttp().getRequest<FastifyRequest>().raw;
    const { principal } = context;
    if (!principal) throw new AppError('unauthenticated');
    const [throttler] = this.throttlers;
    if (!throttler) throw new Error('no rate limit is configured');
    const limit = valueOf(throttler.limit, execution);
    const windowMs = valueOf(throttler.ttl, execution);
    const hit = {
      rateClass: policy.rateClass,
      principal,
      limit: typeof limit === 'number' ? limit : await limit,
      windowMs: typeof windowMs === 'number' ? windowMs : await windowMs,
    };
    try {
      await countHit(this.storageService, hit);
    } catch (error) {
      // An endpoint with a protocol of its own sends the refusal itself.
      if (!policy.protocol || !(error instanceof AppError) || error.code !== 'rate_limited') {
        throw error;
      }
      context.rateLimitRefusal = error;
    }
    return true;
  }
}

type Resolvable = ThrottlerGuard['throttlers'][number]['limit'];

function valueOf(value: Resolvable, execution: ExecutionContext): number | Promise<number> {
  return typeof value === 'function' ? value(execution) : value;
}
