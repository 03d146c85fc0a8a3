import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
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
    await this.assertOn(flag, principal, deadline);
    return true;
  }

  /** @throws {AppError} `not_found` unless the flag is on for this principal. */
  async assertOn(flag: string, principal: Principal, deadline: Deadline): Promise<void> {
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
  }

  #report(flag: string, error: unknown): void {
    this.metrics.rolloutFailures.inc({ endpoint: flag });
    this.log.warn({ flag, ...errorFields(error) }, 'rollout flag lookup failed, endpoint off');
  }
}

async function inTime<T>(answer: Promise<T>, deadline: Deadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the rollout flag was late')), FLAG_LIMIT_MS);
  });
  try {
    return await deadline.race(Promise.race([answer, late]));
  } finally {
    clearTimeout(timer);
  }
}
