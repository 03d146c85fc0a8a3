import type { ServerResponse } from 'node:http';
import { JSON_CONTENT_TYPE } from './error-envelope.js';

/** The response of an endpoint that speaks a protocol of its own. */
export interface ProtocolResponse {
  readonly status: number;
  /** JSON text, or nothing. */
  readonly body: string;
}

/** Writes it as it is, unless a response is out already (at the deadline). */
export function sendProtocolResponse(
  response: ServerResponse,
  { status, body }: ProtocolResponse,
): void {
  if (response.headersSent || response.writableEnded) return;
  response.req.context.isOwnResponse = true;
  response.writeHead(status, {
    ...(body !== '' && { 'Content-Type': JSON_CONTENT_TYPE }),
    'Content-Length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}
