/** A brace, or a text and the colon that makes it a key, in valid JSON. */
const BRACE_OR_TEXT = /[{}]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Returns the first key that an object has twice, because `JSON.parse` silently keeps only the last
 * one.
 *
 * @param text valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [token, key, colon] of text.matchAll(BRACE_OR_TEXT)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (key !== undefined && colon !== undefined) {
      const name = JSON.parse(key) as string;
      const keys = objects.at(-1);
      if (keys?.has(name)) return name;
      keys?.add(name);
    }
  }
  return undefined;
}
