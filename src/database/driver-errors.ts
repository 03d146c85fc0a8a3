import { AppError } from '../kernel/app-error.js';
import { ExternalError } from '../kernel/external-error.js';

/**
 * Thrown when the server is gone, too slow or unreachable. Another server, or a fresh connection,
 * may still respond.
 */
export class ConnectionLostError extends AppError {
  constructor(cause: unknown) {
    super('unavailable', { cause });
  }
}

/**
 * SQLSTATEs of a server that stops, starts or recovers (57P) and of a broken or failed connection
 * (08), and the system's network errors.
 */
const LOST_CODE =
  /^(08...|57P0[1235]|ECONN(RESET|REFUSED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of the driver's errors that have no code. */
const LOST_MESSAGE =
  /^Connection terminated|is not queryable$|^Client was closed|^timeout expired$/;
/**
 * SQLSTATEs of a read that a replica cancels because it blocks the replay of the primary's changes.
 */
const REPLICA_CONFLICT = /^(40001|40P01)$/;
/**
 * SQLSTATEs of a server without free resources (53), a statement that was cancelled elsewhere, a
 * lock timeout, and a primary that became a replica.
 */
const UNAVAILABLE_CODE = /^(53...|57014|55P03|25006)$/;
const WAITED_TOO_LONG = 'timeout exceeded when trying to connect';
/** Messages of a connection that could not be opened in time. */
const NOT_OPENED_IN_TIME = /^Connection terminated due to connection timeout$|^timeout expired$/;

/**
 * Returns whether an error of the driver means that the connection or its server is gone, rather
 * than that the statement failed.
 */
export function isConnectionLost({ code, message }: Error & { readonly code?: string }): boolean {
  return code === undefined ? LOST_MESSAGE.test(message) : LOST_CODE.test(code);
}

/**
 * Maps the error of a failed statement to an error for the caller.
 *
 * @returns an `AppError` with `unavailable`, or the error itself when it is a defect.
 */
export function statementFailure(error: Error, isReplica: boolean): Error {
  const { code = '' } = error as { readonly code?: string };
  const isConflict = isReplica && REPLICA_CONFLICT.test(code);
  if (isConflict || isConnectionLost(error)) return new ConnectionLostError(error);
  return UNAVAILABLE_CODE.test(code) ? new AppError('unavailable', { cause: error }) : error;
}

/**
 * Gives a code for the log to an error of the driver that has none, if it means that no connection
 * became free or could be opened in time. Any other error is returned as it is.
 */
export function codedFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isTimeout = error.message === WAITED_TOO_LONG || NOT_OPENED_IN_TIME.test(error.message);
  return isTimeout ? new ExternalError('CONNECT_TIMEOUT', { cause: error }) : error;
}

/**
 * Maps a failure to obtain a connection to an `AppError` with `unavailable`. The cause is a full
 * pool or a server that cannot be reached.
 */
export function connectFailure(error: Error): AppError {
  if (error instanceof AppError) return error;
  const cause = codedFailure(error);
  return error.message === WAITED_TOO_LONG
    ? new AppError('unavailable', { cause, retryAfterSeconds: 1 })
    : new ConnectionLostError(cause);
}
