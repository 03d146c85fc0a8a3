/**
 * Thrown for a mistake in the code of the application, such as a missing decorator. The message is
 * constant or names classes and handlers; it never contains a value of a request or a response, so
 * that the log may contain it.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
