/**
 * Thrown when a value of a response does not match the declaration of its field. The message never
 * contains the value, which may be withheld; the log line of the request names the field.
 */
export class ResponseFieldError extends TypeError {
  /**
   * @param field the class, or the class and name of the field: `Row.acmeScore`.
   * @param expected what the declaration requires.
   */
  constructor(
    readonly field: string,
    expected: string,
  ) {
    super(`a response field is not ${expected}`);
  }
}
