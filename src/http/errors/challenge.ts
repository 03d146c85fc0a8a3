import type { AppError } from '../../kernel/app-error.js';
import type { RequestContext } from '../context/request-context.js';

/**
 * Returns the `WWW-Authenticate` header of a rejected request, in the exact form of the contract's
 * section 5: `Bearer error="invalid_token"` or
 * `Bearer error="insufficient_scope", scope="<scope>"`.
 *
 * For an OAuth protected resource, the challenge also names the resource's metadata and the scope
 * to request (RFC 9728, section 5.1). It has no `error` when the request carried no credential (RFC
 * 6750, section 3.1).
 *
 * @returns undefined for an error that is answered without a challenge.
 */
export function challengeOf(
  { code, scope: missing }: AppError,
  { policy, protectedResource: resource, response }: RequestContext,
): string | undefined {
  if (code !== 'unauthenticated' && code !== 'insufficient_scope') return undefined;
  const parameters: string[] = [];
  const isSilent = resource && response.req.headers.authorization === undefined;
  const error = code === 'unauthenticated' ? 'invalid_token' : code;
  if (!isSilent) parameters.push(`error="${error}"`);
  if (resource?.metadataUrl !== undefined) {
    parameters.push(`resource_metadata="${resource.metadataUrl}"`);
  }
  const required = code === 'insufficient_scope' ? (missing ?? policy.scope) : undefined;
  const scope = required ?? resource?.scope;
  if (scope !== undefined) parameters.push(`scope="${scope}"`);
  return `Bearer ${parameters.join(', ')}`;
}
