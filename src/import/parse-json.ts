/** Keys whose numbers may have a fraction or an exponent, in any record. */
const FRACTION_KEYS: ReadonlySet<string> = new Set(['radiusMiles', 'distanceMiles']);

// A member whose number has a fraction or an exponent, or is minus zero. In JSON text nothing but white space and the colon
// is between a key's closing quote and the number, so every such member is found; text inside a string
// may be found too.
const FRACTION_MEMBER = /"\s*:\s*(?:-0|-?[0-9]+[.eE])/g;

// The strings and the numbers of valid JSON text.
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/** No key of any record takes this value. */
const NO_INTEGER = '[0]';

/**
 * Reads JSON text. An integer is decimal digits: a number with a fraction or an exponent (`1.0`, `1e3`,
 * `9007199254740991.4`) is replaced by a value that every rule refuses, because `JSON.parse` rounds it to
 * an integer that the file does not say. Keys that take fractions are left as they are.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasFractionElsewhere(text) ? JSON.parse(withoutFractions(text)) : value;
}

/** A quick look that may take a string's content for a member, and never misses one. */
function hasFractionElsewhere(text: string): boolean {
  FRACTION_MEMBER.lastIndex = 0;
  for (;;) {
    const member = FRACTION_MEMBER.exec(text);
    if (!member) return false;
    const key = text.slice(text.lastIndexOf('"', member.index - 1) + 1, member.index);
    if (!FRACTION_KEYS.has(key)) return true;
  }
}

function withoutFractions(text: string): string {
  let lastString = '""';
  return text.replace(TOKENS, (token) => {
    if (token.startsWith('"')) {
      lastString = token;
      return token;
    }
    const isFraction = /[.eE]|^-0$/.test(token);
    return isFraction && !FRACTION_KEYS.has(JSON.parse(lastString) as string) ? NO_INTEGER : token;
  });
}

const KEY = /"\s*:/g;

/**
 * Whether an object of a JSON text has a key twice, of which `JSON.parse` keeps the last in silence.
 *
 * @param value what the text was read as.
 */
export function hasDoubledKey(text: string, value: unknown): boolean {
  const keys = countKeys(value);
  // A string may hold what looks like a key: then only the text without its strings' content tells.
  if (text.match(KEY)?.length === keys) return false;
  return (
    text.replace(TOKENS, (token) => (token.startsWith('"') ? '""' : '0')).match(KEY)?.length !==
    keys
  );
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((sum, member) => sum + countKeys(member), own);
}
