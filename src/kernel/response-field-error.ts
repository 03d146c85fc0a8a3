/**
 * Thrown when a value of a response does not match the declaration of its field. The message
 * contains the type of the value, never the value, which may be withheld. The log line of the
 * request has the message and the field.
 */
export class ResponseFieldError extends TypeError {
  /**
   * @param field the class, or the class and name of the field: `Row.acmeScore`.
   * @param expected what the declaration requires.
   * @param value the value, of which only the type is kept.
   */
  constructor(
    readonly field: string,
    expected: string,
    value: unknown,
  ) {
    super(`expected ${expected}, got ${typeNameOf(value)}`);
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'other text',
  number: 'a number',
  boolean: 'a boolean',
  undefined: 'nothing',
  object: 'an object',
};

/** Names the type of a value in words. Of an object, only the classes of the language are named. */
function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a Date';
  return TYPE_NAMES[typeof value] ?? `a ${typeof value}`;
}
