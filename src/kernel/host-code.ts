import { AppError } from './app-error.js';

/**
 * Calls a function of a host application that must not determine the status of the response: a
 * redaction rule or a display text. Whatever it throws becomes `internal`. Otherwise, an `AppError`
 * or an `HttpException` could turn a defect into 404 or 403.
 *
 * @throws {AppError} `internal`, with the function's error as its cause.
 */
export function callHostCode<Result>(hostCode: () => Result): Result {
  try {
    const result = hostCode();
    ignoreRejection(result);
    return result;
  } catch (cause) {
    throw new AppError('internal', { cause });
  }
}

/**
 * Prevents an unhandled rejection, which would end the process, if a function that must not return
 * a promise does return one. What a promise means as a result is decided by the caller.
 */
function ignoreRejection(result: unknown): void {
  if (typeof result !== 'object' || result === null) return;
  Promise.resolve(result).catch(() => undefined);
}
