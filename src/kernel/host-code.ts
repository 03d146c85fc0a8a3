import { AppError } from './app-error.js';

/**
 * Calls a function of a host application that must not determine the status of the response, such
 * as a redaction rule or a display text. Whatever it throws becomes `internal`. Otherwise, an
 * `AppError` or an `HttpException` could turn a defect into 404 or 403.
 *
 * @throws {AppError} `internal`, with the function's error as its cause.
 */
export function callHostCode<Result>(extension: () => Result): Result {
  try {
    return extension();
  } catch (cause) {
    throw new AppError('internal', { cause });
  }
}
