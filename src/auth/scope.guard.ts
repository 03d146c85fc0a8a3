import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Policy } from '../http/policy.js';
import { contextOf, principalOf } from '../http/context/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { UsageError } from '../kernel/usage-error.js';

/**
 * The guard of `@RequireScope`: admits the buyer's session, and an assistant whose token and
 * approval hold the scope that the handler requires. Rejects an assistant without the scope with
 * 403 and a challenge that names it (contract, section 5). A caller whose type is not admitted gets
 * 403 without a challenge, because no other scope would help.
 *
 * It leaves an endpoint of the controller to `EndpointGuard`, because to a caller for whom the
 * endpoint is off it must not exist, whatever the caller's scopes are.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const { policy } = contextOf(execution);
    if (policy.kind !== 'endpoint') assertAccess(policy, principalOf(execution));
    return true;
  }
}

/** Checks like `ScopeGuard`, for an endpoint, whose rollout has been checked before. */
@Injectable()
export class EndpointScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    assertAccess(contextOf(execution).policy, principalOf(execution));
    return true;
  }
}

/**
 * Checks that a principal meets the requirements of a policy. Scopes limit what a buyer delegates,
 * so only assistants need them; they are compared exactly.
 *
 * @throws {AppError} `forbidden` for a type of principal that is not admitted; `insufficient_scope`
 *   for an assistant without the scope.
 * @throws {UsageError} if the policy has no scope.
 */
export function assertAccess({ principals, scope }: Policy, principal: Principal): void {
  if (scope === undefined) throw new UsageError('the handler must declare @RequireScope');
  if (principals?.includes(principal.type) === false) throw new AppError('forbidden');
  if (principal.type === 'assistant' && !principal.scopes.has(scope)) {
    throw new AppError('insufficient_scope', { scope });
  }
}
