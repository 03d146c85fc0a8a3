import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { policyOf } from '../http/endpoint-policy.js';
import { principalOf, requestSignal } from '../http/request-context.js';
import { RolloutCheck } from './rollout-check.js';

/**
 * Hides an endpoint from callers for whom it is not turned on: they get what an unknown path gets. A flag
 * source that fails, is late or returns anything but `true` does not turn it on.
 */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(private readonly rollout: RolloutCheck) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { flag } = policyOf(execution);
    await this.rollout.check(flag, principalOf(execution), requestSignal(execution));
    return true;
  }
}
