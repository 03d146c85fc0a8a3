import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { contextOf, principalOf } from '../http/context/request-context.js';
import { RolloutCheck } from './rollout-check.js';

/**
 * Hides a handler from callers for whom its flag is not on: they get the same 404 as for an unknown
 * path. A handler without a flag is on for everyone.
 */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(private readonly rollout: RolloutCheck) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { policy, deadline } = contextOf(execution);
    await this.rollout.check(policy.flag, principalOf(execution), deadline);
    return true;
  }
}
