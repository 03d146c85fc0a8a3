import { Injectable } from '@nestjs/common';
import { checkScope } from '../auth/check-scope.js';
import type { EndpointPolicy } from '../http/endpoint-policy.js';
import type { Principal } from '../kernel/principal.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { RolloutCheck } from '../rollout/rollout-check.js';

export interface AdmissionOptions {
  /** The call was counted in its rate class already, as a request of its own. Default: it is counted here. */
  readonly isCounted?: boolean;
}

/**
 * The checks of the guards, in their order, for a call that comes by no route of the service: another
 * protocol in front of the same endpoints. Each check is the one that its guard makes.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly rollout: RolloutCheck,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /**
   * @throws {AppError} `not_found` where the endpoint is off for the principal, `forbidden` or
   *   `insufficient_scope` where it may not call it, `rate_limited` where it has called too often.
   */
  async admit(
    policy: EndpointPolicy,
    principal: Principal,
    signal: AbortSignal,
    { isCounted = false }: AdmissionOptions = {},
  ): Promise<void> {
    signal.throwIfAborted();
    await this.rollout.check(policy.flag, principal, signal);
    checkScope(policy, principal);
    if (!isCounted) await this.rateLimiter.count(policy.rateClass, principal);
  }

  /** Whether the endpoint is on for the principal and its scopes: what it cannot call is not listed. */
  async isOn(policy: EndpointPolicy, principal: Principal, signal: AbortSignal): Promise<boolean> {
    try {
      await this.rollout.check(policy.flag, principal, signal);
      checkScope(policy, principal);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }
}
