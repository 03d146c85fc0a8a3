import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { policyOf, type EndpointPolicy } from '../http/endpoint-policy.js';
import { principalOf } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';

/** Rejects a principal that may not call the endpoint, by its type or the scopes of its credential. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    checkScope(policyOf(execution), principalOf(execution));
    return true;
  }
}

/**
 * @throws {AppError} `forbidden` for a type of principal that the endpoint does not admit;
 *   `insufficient_scope` where the credential does not hold its scope, compared exactly.
 */
export function checkScope({ principals, scope }: EndpointPolicy, principal: Principal): void {
  if (principals?.includes(principal.type) === false) throw new AppError('forbidden');
  if (!principal.scopes.has(scope)) throw new AppError('insufficient_scope', { scope });
}
