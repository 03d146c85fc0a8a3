import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { contextOf, principalOf } from '../http/context/request-context.js';
import { AppError } from '../kernel/app-error.js';
import { RolloutCheck } from './rollout-check.js';

/**
 * Hides a handler from callers for whom its flag is not on: they get the same 404 as for an unknown
 * path. The log line of the request names the flag. A handler without a flag is on for everyone.
 */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(private readonly rollout: RolloutCheck) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const context = contextOf(execution);
    const { flag } = context.policy;
    try {
      await this.rollout.check(flag, principalOf(execution), context.deadline);
    } catch (error) {
      const isOff = error instanceof AppError && error.code === 'not_found';
      if (isOff && flag !== undefined) {
        const reason = this.rollout.isSet(flag) ? 'flag_off' : 'flag_not_set';
        context.offFlag = { flag, reason };
      }
      throw error;
    }
    return true;
  }
}
