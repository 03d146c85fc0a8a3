import type { DistinctHeaders } from '../../http/context/distinct-headers.js';

/**
 * Matches one name-value pair in a Cookie header. It captures the name without surrounding blanks,
 * and the text after the equals sign.
 */
const PAIR = /^[ \t]*([^ \t=]+)[ \t]*=(.*)$/s;
/** A session's value: 16 to 4,096 cookie octets (RFC 6265, section 4.1.1), hence no quotes. */
const VALUE = /^[ \t]*([\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]{16,4096})[ \t]*$/;

/**
 * Reads the session cookie's value from a request's headers. Names are compared exactly: a browser
 * lets a subdomain set a cookie whose name begins with U+00A0, which `trim` would remove.
 *
 * @returns the value; undefined when the cookie is absent or malformed, or occurs twice, because
 *   one of the two may have been planted.
 */
export function sessionCookieValue(
  { cookie = [] }: DistinctHeaders,
  name: string,
): string | undefined {
  const pairs = cookie.flatMap((line) => line.split(';')).map((pair) => PAIR.exec(pair));
  const [found, another] = pairs.filter((pair) => pair?.[1] === name);
  return found && !another ? VALUE.exec(found[2] ?? '')?.[1] : undefined;
}
