/** Every error code an answer can carry (contract, section 7). */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'not_found'
  | 'rate_limited'
  | 'internal'
  | 'auth_unverifiable'
  | 'unavailable';

export interface AppErrorOptions {
  /** What went wrong underneath. Logged by name and code only, never answered. */
  readonly cause?: unknown;
  /** Whole seconds, at least 1: sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/**
 * A failure that has a documented answer. The public text belongs to the code and is constant;
 * whatever this error carries besides stays inside the service.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
  ) {
    super(code, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
