import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../kernel/app-error.js';
import type { Log } from '../observability/logger.js';
import { CONTRACT_HEADERS, JSON_CONTENT_TYPE, REQUEST_ID_HEADER } from './contract-headers.js';
import { errorMessage } from './error-catalogue.js';
import { errorEnvelope } from './error-response.js';

/** The time in which a client that sent an invalid request can read the response. */
const LINGER_MS = 1_000;

/** Status by error code of Node's parser; every other parser error is 400. */
export const PARSER_STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Sends an error response on a bare socket, for which there is no response object, and closes the
 * socket after a delay. Closing it while unread bytes are pending would reset the connection, and
 * the client would lose the response.
 */
export function sendRawError(socket: Duplex, status: number, code: ErrorCode, log: Log): void {
  const id = randomUUID();
  const body = JSON.stringify(errorEnvelope(code, errorMessage(code)));
  const headers = [
    ...CONTRACT_HEADERS,
    [REQUEST_ID_HEADER, id],
    ['Content-Type', JSON_CONTENT_TYPE],
    ['Content-Length', Buffer.byteLength(body)],
    ['Date', new Date().toUTCString()],
    ['Connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines}\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  log.info({ id, status, code }, 'request rejected');
}
