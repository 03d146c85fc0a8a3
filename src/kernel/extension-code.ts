import { AppError } from './app-error.js';

/**
 * Calls a function of an extension, such as a redaction rule or a display text, that has no say in
 * the status of the response. Whatever it throws becomes `internal`: an `AppError` or an exception
 * of the framework would otherwise turn a defect into "not found" or "forbidden".
 *
 * @throws {AppError} `internal`, with the function's error as its cause.
 */
export function callExtension<Result>(extension: () => Result): Result {
  try {
    return extension();
  } catch (cause) {
    throw new AppError('internal', { cause });
  }
}
