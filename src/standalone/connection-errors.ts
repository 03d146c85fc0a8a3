import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEnvelope, errorMessage, type ErrorCode } from '../kernel/error-catalogue.js';
import type { ServiceLogger } from '../observability/service-logger.js';
import {
  CONTRACT_HEADERS,
  JSON_CONTENT_TYPE,
  REQUEST_ID_HEADER,
} from '../http/context/contract-headers.js';
import { sendError } from '../http/errors/send-error.js';

/** The time in which a client can read the last response before its connection is destroyed. */
const LINGER_MS = 1_000;

/** Status by error code of Node's parser; every other parser error is 400. */
const PARSER_STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** Methods of requests whose body no handler reads. */
const METHODS_WITHOUT_BODY: readonly (string | undefined)[] = ['GET', 'HEAD'];

/**
 * Responds to what Node's parser rejects, and to `CONNECT`. Each request gets one response, in
 * order: invalid bytes after a request in progress, or after a request whose response ends the
 * connection, get none, and the connection is closed after the response to that request.
 */
export class ConnectionErrors {
  /** The response to the newest request of each connection. Earlier ones end before it. */
  readonly #newest = new WeakMap<Duplex, ServerResponse>();
  /** Connections that are being closed. Node reports an error for everything that follows. */
  readonly #closing = new WeakSet<Duplex>();

  constructor(private readonly logger: ServiceLogger) {}

  /** Listens to the requests of a server. Must be called before the server listens. */
  watch(server: Server): void {
    // Node emits one of the two events for each request except `CONNECT`.
    for (const event of ['request', 'checkExpectation']) {
      server.on(event, ({ socket }: { socket: Duplex }, response: ServerResponse) =>
        this.#newest.set(socket, response),
      );
    }
    server.on('connect', (_request, socket) =>
      this.#afterResponses(socket, () => this.#sendRaw(socket, 404, 'not_found')),
    );
  }

  /**
   * Handles the `clientError` event of a server.
   *
   * @param code the error code of Node's parser, or of the connection.
   */
  handle(code: string, socket: Duplex): void {
    if (this.#closing.has(socket) || !socket.writable) return;
    this.#closing.add(socket);
    const status = PARSER_STATUS[code] ?? 400;
    const response = this.#newest.get(socket);
    if (!response || (response.req.complete && response.writableFinished)) {
      this.#afterResponses(socket, () => this.#sendRaw(socket, status, 'invalid_request'));
      return;
    }
    // The invalid bytes are part of the newest request, or follow it.
    const { complete, method } = response.req;
    if (!response.headersSent) response.setHeader('Connection', 'close');
    if (!complete && !METHODS_WITHOUT_BODY.includes(method)) {
      sendError(response, 'invalid_request', status);
    }
    this.#afterResponses(socket, () => close(socket));
  }

  /**
   * Calls back when Node has finished with the responses of a connection. If the last one ends the
   * connection, the socket is no longer writable then.
   */
  #afterResponses(socket: Duplex, act: () => void): void {
    const response = this.#newest.get(socket);
    if (!response || response.destroyed) act();
    else response.once('close', act);
  }

  /** Sends an error response on a socket, for which there is no response object, and closes it. */
  #sendRaw(socket: Duplex, status: number, code: ErrorCode): void {
    if (!socket.writable) return;
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
    close(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines}\r\n${body}`);
    this.logger.log({ msg: 'request rejected', id, status, code });
  }
}

/**
 * Sends the last bytes and closes the socket after a delay. Closing it while unread bytes are
 * pending would reset the connection, and the client would lose the response.
 */
function close(socket: Duplex, lastBytes = ''): void {
  socket.on('error', () => socket.destroy());
  socket.end(lastBytes);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
