import { performance } from 'node:perf_hooks';
import { ERROR_CATALOGUE } from '../../kernel/error-catalogue.js';
import type { AppError, CredentialRejectionReason, OffFlag } from '../../kernel/app-error.js';
import { errorFields, type ErrorFields } from '../../observability/error-fields.js';
import type { McpCallFacts } from '../../observability/mcp-call.js';
import type { TraceIds } from '../../observability/trace-id.js';

/** Why a request was rejected for its `Host` or `Origin` header. */
export type OriginRejection = 'host_missing' | 'host_not_allowed' | 'origin_not_allowed';

/**
 * What `RequestLog` reports of a request besides its response. Nothing that decides about the
 * response reads it.
 */
export class RequestNotes {
  /** Whether the request has a line in the log. */
  isLogged = true;
  /** The error code of the response. */
  errorCode?: string;
  /** Why the credential was rejected. */
  rejectionReason?: CredentialRejectionReason;
  /** Why `Host` or `Origin` was rejected. */
  originRejection?: OriginRejection;
  /** The underlying failure of an error response. */
  failure?: ErrorFields;
  /** What a handler without `@Endpoint` threw; undefined if it has not failed. */
  handlerError?: unknown;
  /** The flag that hid the endpoint from the caller, and why. */
  offFlag?: OffFlag | undefined;
  /** The properties of the body that a pipe rejected. */
  rejectedProperties?: readonly string[] | undefined;
  /** The assistant's call of `/mcp`; undefined for other endpoints and rejected messages. */
  mcpCall?: McpCallFacts;
  /** `performance.now()` at arrival. */
  readonly startedAt = performance.now();

  /**
   * @param traceIds the ids of the active span, otherwise those of the caller's `traceparent` if it
   *   is valid.
   */
  constructor(public traceIds: TraceIds | undefined) {}

  /** Notes an error of the contract, which the response reports. */
  noteError(error: AppError): void {
    const { code, rejectionReason = 'other', offFlag } = error;
    this.errorCode = code;
    this.offFlag = offFlag;
    if (code === 'unauthenticated') this.rejectionReason = rejectionReason;
    this.noteFailure(error);
  }

  /** Notes the error of a tool's result, whose response has the status 200; undefined for none. */
  noteToolError(error: AppError | undefined): void {
    if (this.mcpCall) this.mcpCall = { ...this.mcpCall, toolError: error?.code };
    if (error) this.noteFailure(error);
  }

  /** Notes what is behind an error that the caller has not caused. */
  private noteFailure(error: AppError): void {
    if (ERROR_CATALOGUE[error.code].status >= 500) this.failure = errorFields(error.cause ?? error);
  }
}
