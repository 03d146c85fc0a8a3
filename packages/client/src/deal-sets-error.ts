/** The service's error codes at contract revision `2026-10-13`. */
export type ServiceErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'not_found'
  | 'rate_limited'
  | 'internal'
  | 'auth_unverifiable'
  | 'unavailable';

/**
 * The code of a `DealSetsError`. The list is open: a newer service can send codes that are not
 * listed here. In addition to the service's codes, the client uses:
 * - `network_error`: no complete response arrived (connection refused, lost or timed out);
 * - `invalid_response`: a success response without the expected body or headers;
 * - `http_502` and the like: an error status without the service's error body, usually from a
 *   gateway.
 */
export type DealSetsErrorCode =
  ServiceErrorCode | 'network_error' | 'invalid_response' | (string & {});

/** The details of a failed call, which become the properties of a `DealSetsError`. */
export interface DealSetsErrorDetails {
  readonly code: DealSetsErrorCode;
  readonly status: number;
  readonly requestId?: string | undefined;
  readonly headers?: Headers | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The error of every failed call. Branch on `code`; the message is for people and may change.
 */
export class DealSetsError extends Error {
  override readonly name = 'DealSetsError';
  readonly code: DealSetsErrorCode;
  /** The HTTP status; 0 if there was no complete response. */
  readonly status: number;
  /** `Service-Request-Id` of the response; include it in a support request. */
  readonly requestId: string | undefined;
  /** The headers of the response, even if it was incomplete; undefined without a response. */
  readonly headers: Headers | undefined;
  /** The wait that the response requires in `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: DealSetsErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.headers = details.headers;
    this.retryAfterMs = details.retryAfterMs;
  }
}
