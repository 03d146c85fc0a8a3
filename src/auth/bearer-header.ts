/** RFC 6750, section 2.1: the scheme in any case, blanks, and one token of the `b64token` alphabet. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of a request's one Authorization header, or undefined when the header does not hold exactly
 * one bearer token, or is sent twice: Node silently keeps the first in `headers`.
 */
export function bearerToken(rawHeaders: readonly string[]): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
  );
  return values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
}
