import type { ErrorCode } from '../kernel/app-error.js';

/**
 * The bearer challenge (RFC 6750, section 3) of an error, in the exact forms of the contract's section 5;
 * undefined for errors that carry none.
 *
 * @param scope the scope that is missing: a scope token, so it needs no escaping.
 */
export function challengeOf(code: ErrorCode, scope: string | undefined): string | undefined {
  switch (code) {
    case 'unauthenticated':
      return 'Bearer error="invalid_token"';
    case 'insufficient_scope':
      return `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;
    default:
      return undefined;
  }
}
