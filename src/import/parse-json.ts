// A member whose number has a fraction or an exponent, or is minus zero; a part of a text that looks like one is
// found too. In JSON text nothing but white space and the colon is between a key's closing quote and the number.
// The two keys may have fractions.
const FRACTION_MEMBER = /(?<!"(?:radius|distance)Miles)"\s*:\s*(?:-0|-?[0-9]+[.eE])/;
const FRACTION_KEYS: readonly unknown[] = ['radiusMiles', 'distanceMiles'];

// The strings and the numbers of valid JSON text.
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/** No key of any record takes this value. */
const NO_INTEGER = '[0]';

/**
 * Reads JSON text. An integer is decimal digits: a number with a fraction or an exponent (`1.0`, `1e3`,
 * `9007199254740991.4`) is replaced by a value that every rule refuses, because `JSON.parse` rounds it to
 * an integer that the file does not say. Keys that take fractions keep theirs.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!FRACTION_MEMBER.test(text)) return value;
  let lastString = '""';
  const withoutFractions = text.replace(TOKENS, (token) => {
    if (token.startsWith('"')) return (lastString = token);
    const isFraction = /[.eE]|^-0$/.test(token);
    return isFraction && !FRACTION_KEYS.includes(JSON.parse(lastString)) ? NO_INTEGER : token;
  });
  return JSON.parse(withoutFractions);
}

const KEY = /"\s*:/g;

/**
 * Whether an object of a JSON text has a key twice, of which `JSON.parse` keeps the last in silence.
 *
 * @param value what the text was read as.
 */
export function hasDoubledKey(text: string, value: unknown): boolean {
  const keys = countKeys(value);
  // A text may hold what looks like a key: then the texts are emptied before the keys are counted.
  const differs = (form: string): boolean => form.match(KEY)?.length !== keys;
  return differs(text) && differs(text.replace(TOKENS, '""'));
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((sum, member) => sum + countKeys(member), own);
}
