import { rawResponse, type HttpCall } from '../http/request-context.js';

/**
 * A bearer Authorization header (RFC 6750, section 2.1): the scheme in any case, blanks, and one
 * token of the `b64token` alphabet.
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads the bearer token of a call.
 *
 * @returns the token, or undefined unless there is exactly one Authorization header with exactly
 *   one bearer token.
 */
export function bearerToken(execution: HttpCall): string | undefined {
  return bearerTokenIn(rawResponse(execution).req.rawHeaders);
}

/**
 * Reads the bearer token from a request's headers.
 *
 * @param rawHeaders Node's `rawHeaders`. Node's `headers` would silently drop a second
 *   Authorization header.
 * @returns the same as `bearerToken`.
 */
export function bearerTokenIn(rawHeaders: readonly string[]): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
  );
  return values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
}
