import type { ErrorCode } from '../kernel/app-error.js';
import { READ_SCOPE } from '../kernel/principal.js';

/**
 * The bearer challenge (RFC 6750, section 3) of an error, in the exact forms of the contract's section 5;
 * undefined for errors that carry none.
 */
export function challengeOf(code: ErrorCode): string | undefined {
  switch (code) {
    case 'unauthenticated':
      return 'Bearer error="invalid_token"';
    case 'insufficient_scope':
      return `Bearer error="insufficient_scope", scope="${READ_SCOPE}"`;
    default:
      return undefined;
  }
}
