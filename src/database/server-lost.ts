import { AppError } from '../kernel/app-error.js';

/** The server went away, is late, or could not be reached: another, or a fresh connection, may still respond. */
export class ServerLost extends AppError {
  constructor(cause: unknown) {
    super('unavailable', { cause });
  }
}

/** The connection is gone, or the server is stopping, starting or recovering. */
const LOST_STATES = new Set(['57P01', '57P02', '57P03', '57P05']);
/** A replica that must apply what a read is in the way of ends the read. */
const REPLICA_CONFLICTS = new Set(['40001', '40P01']);
/** Cancelled from elsewhere, a lock not granted in time, a primary that has become a replica. */
const UNAVAILABLE_STATES = new Set(['57014', '55P03', '25006']);
const LOST_SYSTEM_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** The driver has no code for these. */
const LOST_MESSAGE =
  /^Connection terminated|is not queryable$|^Client was closed|^timeout expired$/;
const WAITED_TOO_LONG = 'timeout exceeded when trying to connect';

function isLost(code: string): boolean {
  return code.startsWith('08') || LOST_STATES.has(code) || LOST_SYSTEM_CODES.has(code);
}

/** Whether the server is gone, or the connection to it. */
export function isServerLost(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? isLost(code) : LOST_MESSAGE.test(error.message);
}

/** What a failed statement means for the caller; an error that is a defect is returned as it came. */
export function statementFailure(error: Error, isReplica: boolean): Error {
  if (isServerLost(error)) return new ServerLost(error);
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return error;
  if (isReplica && REPLICA_CONFLICTS.has(code)) return new ServerLost(error);
  if (code.startsWith('53') || UNAVAILABLE_STATES.has(code))
    return new AppError('unavailable', { cause: error });
  return error;
}

/** What a connection that could not be had means: the pool is full, or there is no server for it. */
export function connectFailure(error: Error): AppError {
  if (error instanceof AppError) return error;
  if (error.message === WAITED_TOO_LONG)
    return new AppError('unavailable', { cause: error, retryAfterSeconds: 1 });
  return new ServerLost(error);
}
