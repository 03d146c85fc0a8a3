/** Every error code of a response (contract, section 7). */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'internal'
  | 'auth_unverifiable'
  | 'unavailable';

/** A known cause of an error whose message names it: a closed set, so that messages stay constant. */
export type ErrorReason = 'since_malformed';

/** Why a credential was refused, for the log and the metrics: never sent, and it names no person. */
export type CredentialRejectionReason =
  | 'missing'
  | 'malformed'
  | 'algorithm'
  | 'wrong_type'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not_yet_valid'
  | 'claims'
  | 'unknown_key'
  | 'signature'
  | 'no_grant'
  | 'no_session'
  | 'other';

export interface AppErrorOptions {
  /** What went wrong underneath. Logged by name and code only, never sent. */
  readonly cause?: unknown;
  readonly reason?: ErrorReason;
  /** Of `unauthenticated`. */
  readonly rejectionReason?: CredentialRejectionReason;
  /** The scope that is missing, for the challenge of `insufficient_scope`. */
  readonly scope?: string;
  /** Whole seconds, at least 1: sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** A failure with a documented response: a constant message by code and reason. What else it carries stays inside. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly reason: ErrorReason | undefined;
  readonly rejectionReason: CredentialRejectionReason | undefined;
  readonly scope: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
  ) {
    super(code, { cause: options.cause });
    this.reason = options.reason;
    this.rejectionReason = options.rejectionReason;
    this.scope = options.scope;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
