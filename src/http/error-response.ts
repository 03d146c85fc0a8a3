import type { ServerResponse } from 'node:http';
import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';
import { challengeOf, resourceChallengeOf } from './challenge.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { envelopeOf, JSON_CONTENT_TYPE } from './error-envelope.js';
import { findContext } from './request-context.js';

export interface ErrorResponseOptions {
  /** The status that fits, where the code's own does not. */
  readonly status?: number | undefined;
  /** Selects the message of a known cause. */
  readonly reason?: ErrorReason | undefined;
  /** The missing scope, for the challenge of `insufficient_scope`. */
  readonly scope?: string | undefined;
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Shortest wait, where a code must carry one and none is known. */
const LEAST_RETRY_SECONDS = 1;

/** The challenge and the wait that go with an error (RFC 6750, section 3; contract, sections 5 and 8). */
export function errorHeaders(
  { req }: ServerResponse,
  code: ErrorCode,
  { scope, retryAfterSeconds }: ErrorResponseOptions,
): Record<string, string> {
  const context = findContext(req);
  const { policy, protectedResource: resource } = context ?? {};
  const challenge = policy?.protocol
    ? resource && resourceChallengeOf(code, resource, req.headers.authorization !== undefined)
    : challengeOf(code, scope ?? policy?.scope);
  const retryAfter = retryAfterOf(code, retryAfterSeconds);
  return {
    ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
  };
}

/** On 429 always, on `unavailable` where a wait is known, on nothing else. */
function retryAfterOf(code: ErrorCode, seconds: number | undefined): string | undefined {
  if (code !== 'rate_limited' && code !== 'unavailable') return undefined;
  if (seconds === undefined || !Number.isFinite(seconds)) {
    return code === 'rate_limited' ? String(LEAST_RETRY_SECONDS) : undefined;
  }
  return String(Math.max(LEAST_RETRY_SECONDS, Math.ceil(seconds)));
}

/**
 * Sends the error envelope on the raw response: where the framework has not begun with the request. Does nothing
 * when a response is already out.
 */
export function sendError(
  response: ServerResponse,
  code: ErrorCode,
  options: ErrorResponseOptions = {},
): void {
  if (response.headersSent || response.writableEnded) return;
  const { body, contentLength } = envelopeOf(code, options.reason);
  const context = findContext(response.req);
  if (context) context.errorCode = code;
  response.writeHead(options.status ?? ERROR_CATALOGUE[code].status, {
    'Content-Type': JSON_CONTENT_TYPE,
    'Content-Length': contentLength,
    ...errorHeaders(response, code, options),
  });
  response.end(body);
}
