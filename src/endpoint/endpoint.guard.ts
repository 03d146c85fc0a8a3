import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CredentialGuard } from '../auth/credential.guard.js';
import { EndpointScopeGuard } from '../auth/scope.guard.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';

/**
 * Runs the checks of an endpoint in their order: sign-in, rollout, scope, rate limit.
 *
 * Only sign-in precedes rollout, because an endpoint that is off for a caller must respond as if it
 * did not exist. The rate limit is last, so that only calls that pass the other checks are counted.
 */
@Injectable()
export class EndpointGuard implements CanActivate {
  // The dependencies are injected as properties, because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly credential!: CredentialGuard;
  @Inject() private readonly rollout!: RolloutGuard;
  @Inject() private readonly scope!: EndpointScopeGuard;
  @Inject() private readonly rateLimit!: RateLimitGuard;

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    for (const check of [this.credential, this.rollout, this.scope, this.rateLimit]) {
      if (!(await check.canActivate(execution))) return false;
    }
    return true;
  }
}
