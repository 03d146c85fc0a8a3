// The strings and numbers of valid JSON text; a key includes its colon.
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?[0-9][0-9.eE+-]*/g;
const NO_INTEGER = /^-?[0-9]+[.eE]|^-0$/;
const FRACTION_KEYS: readonly unknown[] = ['radiusMiles', 'distanceMiles'];
/** A value that no key of any record accepts. */
const REJECTED = '[0]';

/**
 * Parses JSON text. A number with a fraction or an exponent (`1.0`, `1e3`, `9007199254740991.4`) is
 * replaced by a value that every rule rejects, because `JSON.parse` would convert it to an integer
 * that is not in the file. The values of keys that allow fractions are not replaced.
 *
 * @returns the value, and whether an object has a key twice, because `JSON.parse` silently keeps
 *   only the last one.
 * @throws {SyntaxError} when the text is not JSON.
 * @throws {RangeError} when the text is nested too deeply.
 */
export function parseJson(text: string): { value: unknown; hasDoubledKey: boolean } {
  // The tokens are found reliably only in valid text.
  const rounded: unknown = JSON.parse(text);
  let keys = 0;
  let lastKey = '""';
  const exact = text.replace(TOKENS, (token, string: string | undefined, colon?: string) => {
    if (string !== undefined && colon !== undefined) {
      keys += 1;
      lastKey = string;
    }
    if (!NO_INTEGER.test(token) || FRACTION_KEYS.includes(JSON.parse(lastKey))) return token;
    return REJECTED;
  });
  const value: unknown = exact === text ? rounded : JSON.parse(exact);
  return { value, hasDoubledKey: countKeys(value) !== keys };
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((sum, member) => sum + countKeys(member), own);
}
