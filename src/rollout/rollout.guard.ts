import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { requiredDeclarationOf } from '../http/handler-declaration.js';
import { contextOf, principalOf } from '../http/request-context.js';
import { RolloutCheck } from './rollout-check.js';
import { RolloutFlag } from './rollout-flag.decorator.js';

/**
 * Hides a handler from callers for whom its `@RolloutFlag` is not on: they get the same 404 as for
 * an unknown path.
 */
@Injectable()
export class RolloutGuard implements CanActivate {
  constructor(private readonly rollout: RolloutCheck) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const flag = requiredDeclarationOf(RolloutFlag, execution, 'RolloutFlag');
    await this.rollout.check(flag, principalOf(execution), contextOf(execution).deadline);
    return true;
  }
}
