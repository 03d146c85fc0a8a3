/**
 * An error of another system, such as Redis, whose text may contain values. Its word comes from a
 * closed set, so it can be logged.
 */
export class ExternalError extends Error {
  override readonly name = 'ExternalError';

  /**
   * @param word the kind of failure, from a closed set.
   * @param options the error itself as `cause`.
   */
  constructor(
    readonly word: string,
    options?: ErrorOptions,
  ) {
    super(word, options);
  }
}
