/** A pair of a Cookie header: its name without blanks around it, and what follows the equals sign. */
const PAIR = /^[ \t]*([^ \t=]+)[ \t]*=(.*)$/s;
/** A session's value: 16 to 4,096 cookie octets (RFC 6265, section 4.1.1), so no quotes. */
const VALUE = /^[ \t]*([\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]{16,4096})[ \t]*$/;

/**
 * The session cookie's value in a Cookie header; undefined when it is absent, of impossible shape, or there twice (one
 * of the two was planted, and which is not to be seen). Names are compared exactly: a browser lets a subdomain set one
 * that begins with U+00A0, which `trim` would take away.
 *
 * @param header as Node gives it: several Cookie headers joined with `; `.
 */
export function sessionCookieValue(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => PAIR.exec(pair));
  const [found, another] = pairs.filter((pair) => pair?.[1] === name);
  return found && !another ? VALUE.exec(found[2] ?? '')?.[1] : undefined;
}
