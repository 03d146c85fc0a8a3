import type { ServerResponse } from 'node:http';
import { ERROR_CATALOGUE, errorEnvelope, errorMessage } from '../../kernel/error-catalogue.js';
import { JSON_CONTENT_TYPE } from '../context/contract-headers.js';
import { REQUEST_CONTEXT, type RequestWithContext } from '../context/request-context.js';

/**
 * Sends the error envelope on the raw response, for a request that the framework has not started to
 * handle or has failed to handle.
 */
export function sendError(
  response: ServerResponse<RequestWithContext>,
  code: 'invalid_request' | 'internal',
  status = ERROR_CATALOGUE[code].status,
): void {
  if (response.headersSent || response.writableEnded) return;
  const context = response.req[REQUEST_CONTEXT];
  if (context) context.notes.errorCode = code;
  const body = JSON.stringify(errorEnvelope(code, errorMessage(code)));
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': JSON_CONTENT_TYPE, 'Content-Length': length });
  response.end(body);
}
