import { AppError } from '../kernel/app-error.js';

/** The server went away, is late, or could not be reached: another, or a fresh connection, may still respond. */
export class ConnectionLostError extends AppError {
  constructor(cause: unknown) {
    super('unavailable', { cause });
  }
}

/** The server is stopping, starting or recovering (57P), the connection is gone (08), or was never to be had. */
const LOST_CODE =
  /^(08...|57P0[1235]|ECONN(RESET|REFUSED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** The driver has no code for these. */
const LOST_MESSAGE =
  /^Connection terminated|is not queryable$|^Client was closed|^timeout expired$/;
/** A replica that must apply what a read is in the way of ends the read. */
const REPLICA_CONFLICT = /^(40001|40P01)$/;
/** Out of resources, cancelled from elsewhere, a lock not granted in time, a primary that has become a replica. */
const UNAVAILABLE_CODE = /^(53...|57014|55P03|25006)$/;
const WAITED_TOO_LONG = 'timeout exceeded when trying to connect';

export function isConnectionLost({ code, message }: Error & { readonly code?: string }): boolean {
  return code === undefined ? LOST_MESSAGE.test(message) : LOST_CODE.test(code);
}

/** What a failed statement means for the caller; an error that is a defect is returned as it came. */
export function statementFailure(error: Error, isReplica: boolean): Error {
  const { code = '' } = error as { readonly code?: string };
  const isConflict = isReplica && REPLICA_CONFLICT.test(code);
  if (isConflict || isConnectionLost(error)) return new ConnectionLostError(error);
  return UNAVAILABLE_CODE.test(code) ? new AppError('unavailable', { cause: error }) : error;
}

/** What a connection that could not be had means: the pool is full, or there is no server for it. */
export function connectFailure(error: Error): AppError {
  if (error instanceof AppError) return error;
  return error.message === WAITED_TOO_LONG
    ? new AppError('unavailable', { cause: error, retryAfterSeconds: 1 })
    : new ConnectionLostError(error);
}
