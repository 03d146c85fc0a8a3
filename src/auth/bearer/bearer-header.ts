import type { DistinctHeaders } from '../../http/context/distinct-headers.js';

/**
 * A bearer Authorization header (RFC 6750, section 2.1): the scheme in any case, blanks, and one
 * token of the `b64token` alphabet.
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads the bearer token from a request's headers.
 *
 * @returns the token, or undefined unless there is exactly one Authorization header with exactly
 *   one bearer token.
 */
export function bearerToken(headers: DistinctHeaders): string | undefined {
  const [value, another] = headers['authorization'] ?? [];
  return value !== undefined && another === undefined ? BEARER.exec(value)?.[1] : undefined;
}
