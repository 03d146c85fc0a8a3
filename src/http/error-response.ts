import type { ServerResponse } from 'node:http';
import type { AppError, ErrorCode } from '../kernel/app-error.js';
import { ERROR_CATALOGUE, envelopeOf, JSON_CONTENT_TYPE, messageOf } from './contract.js';
import { findContext, type ProtectedResource } from './request-context.js';

/** The challenge and the wait that go with an error (RFC 6750, section 3; contract, sections 5 and 8). */
export function errorHeaders(
  { req }: ServerResponse,
  code: ErrorCode,
  { scope, retryAfterSeconds }: Partial<AppError> = {},
): Record<string, string> {
  const { policy, protectedResource } = findContext(req) ?? {};
  const challenge = policy?.protocol
    ? resourceChallengeOf(code, protectedResource, req.headers.authorization !== undefined)
    : challengeOf(code, scope ?? policy?.scope);
  const retryAfter = retryAfterOf(code, retryAfterSeconds);
  return {
    ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
    ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
  };
}

/** The bearer challenge in the exact forms of the contract's section 5, which has one on every 403. */
function challengeOf(code: ErrorCode, scope: string | undefined): string | undefined {
  if (code === 'unauthenticated') return 'Bearer error="invalid_token"';
  if (code !== 'insufficient_scope' && code !== 'forbidden') return undefined;
  return `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;
}

/**
 * The challenge of an endpoint with a protocol of its own: besides the error it names the resource's
 * metadata and the scope to ask for. Where nothing was presented it names no error (RFC 6750, section 3.1).
 */
function resourceChallengeOf(
  code: ErrorCode,
  resource: ProtectedResource | undefined,
  isPresented: boolean,
): string | undefined {
  if (!resource || (code !== 'unauthenticated' && code !== 'insufficient_scope')) return undefined;
  const { metadataUrl, scope } = resource;
  const error = code === 'unauthenticated' ? 'invalid_token' : code;
  const parts = [
    ...(isPresented ? [`error="${error}"`] : []),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    `scope="${scope}"`,
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
  response: ServerResponse,
  code: ErrorCode,
  status = ERROR_CATALOGUE[code].status,
): void {
  if (response.headersSent || response.writableEnded) return;
  const context = findContext(response.req);
  if (context) context.errorCode = code;
  const body = JSON.stringify(envelopeOf(code, messageOf(code)));
  response.writeHead(status, {
    'Content-Type': JSON_CONTENT_TYPE,
    'Content-Length': Buffer.byteLength(body),
    ...errorHeaders(response, code),
  });
  response.end(body);
}
