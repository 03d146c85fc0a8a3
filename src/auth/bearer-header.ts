import type { IncomingMessage } from 'node:http';

/** RFC 6750, section 2.1: the scheme in any case, blanks, and one token of the `b64token` alphabet. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

const NAME = 'authorization';

/**
 * The token of a request's one Authorization header, or undefined when the header does not hold exactly
 * one bearer token, or is sent twice: Node silently keeps the first.
 */
export function bearerToken(
  request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
): string | undefined {
  const value = request.headers.authorization;
  if (value === undefined || isRepeated(request.rawHeaders)) return undefined;
  return BEARER.exec(value)?.[1];
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === NAME.length && name.toLowerCase() === NAME) count += 1;
  }
  return count > 1;
}
