import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { RolloutCheck } from './rollout-check.js';

/**
 * Hides an endpoint from callers for whom it is not turned on: they get what an unknown path gets. A flag
 * source that fails, is late or returns anything but `true` does not turn it on.
 */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(private readonly rollout: RolloutCheck) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const policy = endpointPolicy(execution);
    if (!policy) return true;
    const { principal, deadline } = execution.switchToHttp().getRequest<FastifyRequest>()
      .raw.context;
    if (!principal) throw new AppError('unauthenticated');
    await this.rollout.check(policy.flag, principal, deadline);
    return true;
  }
}
