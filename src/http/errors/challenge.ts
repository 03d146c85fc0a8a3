import type { RequestContext } from '../context/request-context.js';

/** The error codes of a bearer challenge that the service sends (RFC 6750, section 3.1). */
export type ChallengeError = 'invalid_token' | 'insufficient_scope';

/**
 * Writes the `WWW-Authenticate` header of a rejected request, in the exact form of the contract's
 * section 5: `Bearer error="invalid_token"` or
 * `Bearer error="insufficient_scope", scope="<scope>"`.
 *
 * For an OAuth protected resource, the challenge also names the resource's metadata and the scope
 * to request (RFC 9728, section 5.1). It has no `error` when the request carried no credential (RFC
 * 6750, section 3.1).
 *
 * @param scope the missing scope, for `insufficient_scope`.
 */
export function writeChallenge(
  { protectedResource, response }: RequestContext,
  error: ChallengeError,
  scope?: string,
): void {
  const parameters: string[] = [];
  const isSilent = protectedResource && response.req.headers.authorization === undefined;
  if (!isSilent) parameters.push(`error="${error}"`);
  if (protectedResource?.metadataUrl !== undefined) {
    parameters.push(`resource_metadata="${protectedResource.metadataUrl}"`);
  }
  const namedScope = scope ?? protectedResource?.scope;
  if (namedScope !== undefined) parameters.push(`scope="${namedScope}"`);
  response.setHeader('WWW-Authenticate', `Bearer ${parameters.join(', ')}`);
}
