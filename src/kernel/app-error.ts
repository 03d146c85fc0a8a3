import { HttpException } from '@nestjs/common';
import {
  ERROR_CATALOGUE,
  errorEnvelope,
  errorMessage,
  type ErrorCode,
  type ErrorReason,
} from './error-catalogue.js';

/**
 * Why a credential was rejected, for the log and the metrics. It is never sent and identifies no
 * person.
 */
export type CredentialRejectionReason =
  | 'missing'
  | 'malformed'
  | 'algorithm'
  | 'wrong_type'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'revoked'
  | 'not_yet_valid'
  | 'claims'
  | 'key_bound'
  | 'unknown_key'
  | 'signature'
  | 'no_grant'
  | 'grant_expired'
  | 'older_than_grant'
  | 'no_session'
  | 'other';

/** A flag that is off for a caller: it is set to off, it is not set, or it could not be read. */
export interface OffFlag {
  readonly flag: string;
  readonly reason: 'flag_off' | 'flag_not_set' | 'flag_not_read';
}

/** Details of an `AppError`. */
export interface AppErrorOptions {
  /** The underlying error. It is never sent, and its message is never logged. */
  readonly cause?: unknown;
  /** Makes the public message more precise. */
  readonly reason?: ErrorReason;
  /** Why the credential was rejected, for `unauthenticated`. */
  readonly rejectionReason?: CredentialRejectionReason;
  /**
   * The flag that hides the endpoint, for the log line of `not_found`.
   *
   * @internal
   */
  readonly offFlag?: OffFlag;
  /** The missing scope, for the challenge of `insufficient_scope`. */
  readonly scope?: string;
  /** Sent as `Retry-After`: whole seconds, at least 1. */
  readonly retryAfterSeconds?: number;
}

/**
 * A failure with a documented response: an exception of Nest whose body is the error envelope of
 * the contract, so that Nest's own filter sends the right status and body. Code and reason
 * determine the constant message; other details are not sent.
 */
export class AppError extends HttpException {
  override readonly name = 'AppError';
  readonly reason: ErrorReason | undefined;
  readonly rejectionReason: CredentialRejectionReason | undefined;
  /** @internal */
  readonly offFlag: OffFlag | undefined;
  readonly scope: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: AppErrorOptions = {},
  ) {
    const { cause, reason } = options;
    super(errorEnvelope(code, errorMessage(code, reason)), ERROR_CATALOGUE[code].status, { cause });
    this.message = code;
    // Nest sets the message after the stack was captured.
    Error.captureStackTrace(this, AppError);
    this.reason = reason;
    this.rejectionReason = options.rejectionReason;
    this.offFlag = options.offFlag;
    this.scope = options.scope;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
