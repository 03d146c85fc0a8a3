import type { ErrorCode } from '../kernel/app-error.js';
import type { ProtectedResource } from './request-context.js';

/**
 * The bearer challenge (RFC 6750, section 3) of an error, in the exact forms of the contract's section 5;
 * undefined for errors that carry none.
 *
 * @param scope of the endpoint: a scope token, so it needs no escaping. `forbidden` names it too: the contract has a
 *   challenge on every 403.
 */
export function challengeOf(code: ErrorCode, scope: string | undefined): string | undefined {
  switch (code) {
    case 'unauthenticated':
      return 'Bearer error="invalid_token"';
    case 'insufficient_scope':
    case 'forbidden':
      return `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;
    default:
      return undefined;
  }
}

/**
 * The challenge of an endpoint with a protocol of its own: besides the error it names the resource's
 * metadata and the scope to ask for. Where nothing was presented it names no error (RFC 6750, section 3.1).
 */
export function resourceChallengeOf(
  code: ErrorCode,
  { metadataUrl, scope }: ProtectedResource,
  isPresented: boolean,
): string | undefined {
  if (code !== 'unauthenticated' && code !== 'insufficient_scope') return undefined;
  const error = code === 'unauthenticated' ? 'invalid_token' : code;
  const parts = [
    ...(isPresented ? [`error="${error}"`] : []),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    `scope="${scope}"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}
