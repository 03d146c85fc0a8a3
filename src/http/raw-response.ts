import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../kernel/app-error.js';
import { CONTRACT_HEADERS, REQUEST_ID_HEADER } from './contract-headers.js';
import { envelopeOf, JSON_CONTENT_TYPE } from './error-envelope.js';

/** How long a refused client may take to read its response before the connection is cut. */
const LINGER_MS = 1_000;

/**
 * Responds on a bare connection, where there is no response to write to: the bytes were no request, or not
 * one for a route. Then closes. Not at once: closing on bytes that were not read resets the connection,
 * and the client would lose the response.
 *
 * @param isHead the request was HEAD: the response has the same headers and no body.
 * @returns the id that was sent as `Service-Request-Id`.
 */
export function sendRawError(
  socket: Duplex,
  status: number,
  code: ErrorCode,
  isHead = false,
): string {
  const id = randomUUID();
  const { body, contentLength } = envelopeOf(code);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    ...CONTRACT_HEADERS.map(([name, value]) => `${name}: ${value}`),
    `${REQUEST_ID_HEADER}: ${id}`,
    `Content-Type: ${JSON_CONTENT_TYPE}`,
    `Content-Length: ${contentLength}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ].join('\r\n');
  socket.on('error', () => socket.destroy());
  socket.end(`${head}\r\n\r\n${isHead ? '' : body}`);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  cut.unref();
  socket.once('close', () => clearTimeout(cut));
  socket.once('end', () => socket.destroy());
  return id;
}
