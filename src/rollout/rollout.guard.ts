import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { contextOf, principalOf } from '../http/context/request-context.js';
import type { OffFlag } from '../http/context/request-notes.js';
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
        context.notes.offFlag = { flag, reason: this.#reasonOf(flag, error) };
      }
      throw error;
    }
    return true;
  }

  #reasonOf(flag: string, { cause }: AppError): OffFlag['reason'] {
    if (cause !== undefined) return 'flag_not_read';
    return this.rollout.isSet(flag) ? 'flag_off' : 'flag_not_set';
  }
}
