/**
 * A session cookie's value: 16 to 4,096 cookie octets (RFC 6265, section 4.1.1). Quotes around a
 * value are not cookie octets, and a session's value has none.
 */
const VALUE = /^[\x21\x23-\x2B\x2D-\x3A\x3C-\x5B\x5D-\x7E]{16,4096}$/;

/**
 * The session cookie's value in a Cookie header, or undefined when there is none that could be a
 * session's: absent, of impossible shape, or there twice (one of the two was planted, and which is not
 * to be seen). Names are compared exactly.
 *
 * @param header as Node gives it: several Cookie headers joined with `; `.
 */
export function sessionCookieValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  let found: string | undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals === -1 || withoutBlanks(pair.slice(0, equals)) !== name) continue;
    if (found !== undefined) return undefined;
    found = withoutBlanks(pair.slice(equals + 1));
  }
  return found !== undefined && VALUE.test(found) ? found : undefined;
}

/**
 * The text without blanks and tabs around it. `trim` would also take U+00A0, and a browser lets a subdomain set
 * a cookie whose name begins with it: `__Host-` protects only what is spelt so.
 */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
