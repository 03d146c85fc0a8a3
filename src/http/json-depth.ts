/**
 * The number of levels of objects and arrays that a JSON body may have. Messages of the official
 * clients of MCP have eight.
 */
export const MAX_JSON_DEPTH = 16;

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Array.from(
  String.raw`"\[]{}`,
  (character) => character.charCodeAt(0),
);

/**
 * Returns whether a JSON text has more than `MAX_JSON_DEPTH` levels. The text is checked before it
 * is parsed, because the parser takes a hundred times as long for arrays in arrays as for text.
 */
export function isTextTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (isInString) {
      if (character === BACKSLASH) index += 1;
      else if (character === QUOTE) isInString = false;
    } else if (character === QUOTE) {
      isInString = true;
    } else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
  return false;
}

/** Returns whether a parsed JSON value has more levels than the given number. */
export function isTooDeep(value: unknown, levels = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isTooDeep(member, levels - 1));
}
