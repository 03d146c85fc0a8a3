import type { Value } from './field.js';

// eslint-disable-next-line no-control-regex -- JSON escapes control characters
const NEEDS_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/**
 * Checks the words of a value that a part of a team made: the serializer writes words as they are, for speed,
 * and the service's own hold nothing that JSON escapes.
 *
 * @throws {TypeError} never with the value.
 */
export function assertPlainWords(value: Value, given: unknown): void {
  switch (value.is) {
    case 'leaf':
      if (value.type === 'word' && typeof given === 'string' && NEEDS_ESCAPE.test(given)) {
        throw new TypeError('a word of an own field holds a character that JSON escapes');
      }
      return;
    case 'nullable':
      assertPlainWords(value.of, given);
      return;
    case 'list':
      if (Array.isArray(given)) for (const item of given) assertPlainWords(value.of, item);
      return;
    case 'object':
    case 'one-of':
      if (typeof given !== 'object' || given === null) return;
      for (const { fields } of value.is === 'object' ? [value.shape] : value.shapes) {
        for (const [name, field] of Object.entries(fields)) {
          assertPlainWords(field.value, (given as Record<string, unknown>)[name]);
        }
      }
  }
}
