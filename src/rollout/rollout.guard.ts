import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { withTimeout } from '../kernel/with-timeout.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { Rollout } from './rollout.js';

/** A flag that takes longer to read counts as off. */
const FLAG_LIMIT_MS = 500;

/**
 * Hides an endpoint from callers for whom it is not turned on: they get what an unknown path gets. Only
 * a plain "yes" in time turns it on; a flag source that fails, is late or answers anything else does not.
 */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(
    private readonly rollout: Rollout,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const policy = endpointPolicy(execution);
    if (!policy) return true;
    const { flag } = policy;
    const { principal, deadline } = execution.switchToHttp().getRequest<FastifyRequest>()
      .raw.context;
    if (!principal) throw new AppError('unauthenticated');
    let isOn: unknown;
    try {
      isOn = this.rollout.isOn(flag, principal, deadline);
      if (typeof isOn !== 'boolean') isOn = await inTime(Promise.resolve(isOn), deadline);
    } catch (error) {
      deadline.throwIfOver();
      this.#report(flag, error);
      throw new AppError('not_found', { cause: error });
    }
    if (isOn !== true) throw new AppError('not_found');
    return true;
  }

  #report(flag: string, error: unknown): void {
    this.metrics.rolloutFailures.inc({ endpoint: flag });
    this.log.warn({ flag, ...errorFields(error) }, 'rollout flag lookup failed, endpoint off');
  }
}

function inTime<T>(response: Promise<T>, deadline: Deadline): Promise<T> {
  return deadline.race(
    withTimeout(response, FLAG_LIMIT_MS, () => {
      throw new Error('rollout flag timed out');
    }),
  );
}
