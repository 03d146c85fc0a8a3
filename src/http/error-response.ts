import type { ServerResponse } from 'node:http';
import type { AppError, ErrorCode } from '../kernel/app-error.js';
import { ERROR_CATALOGUE, envelopeOf, JSON_CONTENT_TYPE, messageOf } from './contract.js';
import { CONTEXT, type HeldRequest } from './request-context.js';

/** The challenge and the wait that go with an error (RFC 6750, section 3; contract, sections 5 and 8). */
export function errorHeaders(
  { req }: ServerResponse<HeldRequest>,
  code: ErrorCode,
  { scope, retryAfterSeconds }: Partial<AppError> = {},
): Record<string, string> {
  const challenge = challengeOf(req, code, scope);
  const retryAfter = retryAfterOf(code, retryAfterSeconds);
  return {
    ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
  };
}

/**
 * The bearer challenge in the exact forms of the contract's section 5, which has one on every 403. That of an
 * endpoint with a protocol of its own names the resource's metadata and the scope to ask for, and no error where
 * nothing was presented (RFC 6750, section 3.1).
 */
function challengeOf(request: HeldRequest, code: ErrorCode, missing?: string): string | undefined {
  if (code !== 'unauthenticated' && code !== 'insufficient_scope' && code !== 'forbidden') return;
  const { policy, protectedResource } = request[CONTEXT] ?? {};
  const error = `error="${code === 'unauthenticated' ? 'invalid_token' : 'insufficient_scope'}"`;
  const scope = missing ?? policy?.scope;
  const named = scope === undefined ? [] : [`scope="${scope}"`];
  if (!policy?.protocol)
    return `Bearer ${[error, ...(code === 'unauthenticated' ? [] : named)].join(', ')}`;
  if (code === 'forbidden') return;
  const metadataUrl = protectedResource?.metadataUrl;
  const parts = [
    ...(request.headers.authorization === undefined ? [] : [error]),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    ...named,
  ];
  return `Bearer ${parts.join(', ')}`;
}

/** Whole seconds, at least 1: on 429 always, on `unavailable` where a wait is known, on nothing else. */
function retryAfterOf(code: ErrorCode, seconds: number | undefined): string | undefined {
  if (code !== 'rate_limited' && code !== 'unavailable') return undefined;
  if (seconds === undefined || !Number.isFinite(seconds)) {
    return code === 'rate_limited' ? '1' : undefined;
  }
  return String(Math.max(1, Math.ceil(seconds)));
}

/**
 * Sends the error envelope on the raw response: where the framework has not begun with the request. Does nothing
 * when a response is already out.
 */
export function sendError(
  response: ServerResponse<HeldRequest>,
  code: ErrorCode,
  status = ERROR_CATALOGUE[code].status,
): void {
  if (response.headersSent || response.writableEnded) return;
  const context = response.req[CONTEXT];
  if (context) context.errorCode = code;
  const body = JSON.stringify(envelopeOf(code, messageOf(code)));
  response.writeHead(status, {
    'Content-Type': JSON_CONTENT_TYPE,
    'Content-Length': Buffer.byteLength(body),
    ...errorHeaders(response, code),
  });
  response.end(body);
}
