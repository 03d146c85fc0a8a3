import { admitsType, type EndpointPolicy } from '../http/endpoint-policy.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';

/**
 * @throws {AppError} `forbidden` for a type of principal that the endpoint does not admit;
 *   `insufficient_scope` where the credential does not hold its scope, compared exactly.
 */
export function checkScope(policy: EndpointPolicy, principal: Principal): void {
  if (!admitsType(policy, principal.type)) throw new AppError('forbidden');
  const { scope } = policy;
  if (!principal.scopes.has(scope)) throw new AppError('insufficient_scope', { scope });
}
