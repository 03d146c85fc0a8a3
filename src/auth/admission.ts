import { Injectable } from '@nestjs/common';
import type { Policy } from '../http/policy.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import { UsageError } from '../kernel/usage-error.js';
import { RolloutCheck } from '../rollout/rollout-check.js';

/** Decides whether a signed-in caller may call a handler. */
@Injectable()
export class Admission {
  constructor(private readonly rollout: RolloutCheck) {}

  /**
   * Checks the rollout, then the caller's type and scope. The rollout comes first, because an
   * endpoint that is off for a caller must respond as if it did not exist, whatever the caller's
   * scopes are. A policy without a flag, such as that of `@RequireScope`, is on for everyone.
   *
   * @throws {AppError} `not_found` when the endpoint is off for the caller; `forbidden` for a type
   *   of principal that is not admitted; `insufficient_scope` for an assistant without the scope.
   * @throws the reason of the deadline's signal when the signal is aborted.
   */
  async admit(policy: Policy, principal: Principal, deadline: Deadline): Promise<void> {
    await this.rollout.check(policy.flag, principal, deadline);
    assertScope(policy, principal);
  }
}

/**
 * Checks that a principal meets the requirements of a policy. Scopes limit what a buyer delegates,
 * so only assistants need them; they are compared exactly. A caller whose type is not admitted gets
 * no challenge, because no other scope would help.
 *
 * @throws {AppError} `forbidden` or `insufficient_scope`.
 * @throws {UsageError} if the policy has no scope.
 */
function assertScope({ principals, scope }: Policy, principal: Principal): void {
  if (scope === undefined) throw new UsageError('the handler must declare @RequireScope');
  if (principals?.includes(principal.type) === false) throw new AppError('forbidden');
  if (principal.type === 'assistant' && !principal.scopes.has(scope)) {
    throw new AppError('insufficient_scope', { scope });
  }
}
