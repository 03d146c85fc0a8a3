import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';
import { challengeOf, resourceChallengeOf } from './challenge.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { envelopeOf, envelopeWith, JSON_CONTENT_TYPE } from './error-envelope.js';
import type { OwnError } from './own-errors.js';

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

/**
 * Sends the error envelope, straight on the raw response, so that it also works where the
 * framework is stuck. Does nothing when a response is already out: a request gets one response.
 */
export function sendError(
  response: ServerResponse,
  code: ErrorCode,
  options: ErrorResponseOptions = {},
): void {
  if (response.headersSent || response.writableEnded) return;
  const { body, contentLength } = envelopeOf(code, options.reason);
  const headers: OutgoingHttpHeaders = {
    'Content-Type': JSON_CONTENT_TYPE,
    'Content-Length': contentLength,
  };
  const { protectedResource } = response.req.context;
  const challenge = protectedResource
    ? resourceChallengeOf(code, protectedResource, response.req.headers.authorization !== undefined)
    : challengeOf(code, options.scope);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  const retryAfter = retryAfterOf(code, options.retryAfterSeconds);
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  response.req.context.errorCode = code;
  response.req.context.isOwnResponse = true;
  response.writeHead(options.status ?? ERROR_CATALOGUE[code].status, headers);
  response.end(body);
}

/** On 429 always, on `unavailable` where a wait is known, on nothing else. */
function retryAfterOf(code: ErrorCode, seconds: number | undefined): string | undefined {
  if (code !== 'rate_limited' && code !== 'unavailable') return undefined;
  if (seconds === undefined || !Number.isFinite(seconds)) {
    return code === 'rate_limited' ? String(LEAST_RETRY_SECONDS) : undefined;
  }
  return String(Math.max(LEAST_RETRY_SECONDS, Math.ceil(seconds)));
}

/** Sends an error that a team declares. */
export function answerOwnError(
  response: ServerResponse,
  { status, code, message }: OwnError,
): void {
  if (response.headersSent || response.writableEnded) return;
  const { body, contentLength } = envelopeWith(code, message);
  response.req.context.errorCode = code;
  response.req.context.isOwnResponse = true;
  response.writeHead(status, {
    'Content-Type': JSON_CONTENT_TYPE,
    'Content-Length': contentLength,
  });
  response.end(body);
}
