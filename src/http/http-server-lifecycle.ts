import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BadRequestException,
  Injectable,
  NotFoundException,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions } from 'fastify';
import { ServerSettings } from '../config/service-settings.js';
import { Settings } from '../config/settings.js';
import type { ErrorCode } from '../kernel/app-error.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { nameActiveSpan } from '../observability/trace-id.js';
import { corsOptions } from './cors.js';
import { sendError } from './error-response.js';
import { CONTRACT_HEADERS, JSON_CONTENT_TYPE, REQUEST_ID_HEADER } from './contract-headers.js';
import { errorEnvelope } from './error-response.js';
import { errorMessage } from './error-catalogue.js';
import { RequestContextService } from './request-context.service.js';

/**
 * Limits of the HTTP server: times in milliseconds, sizes in bytes. Node's defaults change between
 * versions, so every limit is set.
 */
export const HTTP_LIMITS = {
  /** Limit for receiving the request line and the headers. */
  headersTimeout: 10_000,
  /** Limit for receiving the whole request with its body. */
  requestTimeout: 15_000,
  /** How often the first two limits are checked. */
  connectionsCheckingInterval: 2_000,
  /**
   * Limit for idle connections. It is longer than the 60 seconds for which load balancers keep idle
   * connections, so that the load balancers close them first.
   */
  keepAliveTimeout: 72_000,
  /** Limit for a connection without traffic while a request or a response is in progress. */
  connectionTimeout: 20_000,
  maxRequestsPerSocket: 10_000,
  /** Limit for the size of the request line and the headers together. */
  maxHeaderSize: 16_384,
  bodyLimit: 65_536,
};

/**
 * How long idle connections stay open during a shutdown, because a client may be sending its next
 * request.
 */
const QUIET_MS = 250;
/** The interval at which idle connections are closed after `QUIET_MS`. */
const CLOSE_IDLE_INTERVAL_MS = 100;
/** The time in which a client can receive the last response, after that request's deadline. */
const LAST_RESPONSE_MS = 1_000;
/** The time in which a client that sent an invalid request can read the response. */
const LINGER_MS = 1_000;

/** Status by error code of Node's parser; every other parser error is 400. */
const PARSER_STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * The route of `@fastify/cors` for `OPTIONS`; only a preflight from a listed origin gets a response
 * from it.
 */
const CORS_ROUTE = '*';

/** The Fastify configuration of a route whose requests are counted but not logged. */
export const NOT_LOGGED = { isLogged: false };

/** Headers that are removed from every response. */
const VALIDATOR_HEADERS = ['etag', 'last-modified', 'accept-ranges'];

/**
 * Creates the Fastify adapter with strict paths. It sends the contract's error responses for
 * requests that Fastify or Node rejects before routing.
 */
export function createFastifyAdapter(logger: ServiceLogger, limits = HTTP_LIMITS): FastifyAdapter {
  const { headersTimeout, connectionsCheckingInterval, maxHeaderSize, ...fastifyLimits } = limits;
  const options: FastifyHttpOptions<Server> & { skipMiddie: boolean } = {
    ...fastifyLimits,
    // Node would respond to a missing Host with plain text; `HttpServerLifecycle` checks it
    // instead.
    http: { headersTimeout, connectionsCheckingInterval, maxHeaderSize, requireHostHeader: false },
    // Fastify's paths are exact by default. The limit admits ids of any length, so that an overlong
    // id is handled as an unknown id.
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    frameworkErrors: (_error, _request, reply) => sendError(reply.raw, 'invalid_request'),
    clientErrorHandler: ({ code }, socket) => {
      if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else sendRawError(socket, PARSER_STATUS[code] ?? 400, 'invalid_request', logger);
    },
    return503OnClosing: false,
    // Express-style middleware is not used.
    skipMiddie: true,
  };
  return new FastifyAdapter(options);
}

/**
 * Creates the context of every request of the standalone application, and rejects unknown paths
 * before a body is parsed. During a shutdown, responses carry `Connection: close`, and connections
 * are closed.
 */
@Injectable()
export class HttpServerLifecycle implements BeforeApplicationShutdown {
  isStopping = false;

  constructor(
    private readonly adapters: HttpAdapterHost<FastifyAdapter>,
    private readonly requests: RequestContextService,
    private readonly settings: Settings,
    private readonly serverSettings: ServerSettings,
    private readonly logger: ServiceLogger,
  ) {}

  /**
   * Registers the hooks and the listeners of the server. Must be called before the application
   * listens.
   */
  open(): void {
    const { httpAdapter } = this.adapters;
    const fastify = httpAdapter.getInstance();
    const { corsOrigins } = this.settings;
    if (corsOrigins.length > 0) httpAdapter.enableCors(corsOptions(corsOrigins));
    // Endpoints read only JSON.
    fastify.removeContentTypeParser('text/plain');
    fastify.addHook('onRequest', (request, reply, done) => {
      const context = this.requests.getOrCreate(reply.raw);
      // Responses carry no validators. Without these request headers, the file server never sends
      // 304.
      delete request.raw.headers['if-none-match'];
      delete request.raw.headers['if-modified-since'];
      const { url = '', config } = request.routeOptions;
      if (request.is404 || url === CORS_ROUTE) {
        done(new NotFoundException());
        return;
      }
      context.route = url;
      context.isLogged = (config as Partial<typeof NOT_LOGGED>).isLogged ?? true;
      context.input = request as typeof context.input;
      nameActiveSpan(request.method, url);
      done(hasValidHost(request.raw) ? undefined : new BadRequestException());
    });
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      // The response to a preflight is sent before the hook above runs.
      this.requests.getOrCreate(reply.raw);
      if (this.isStopping) reply.header('Connection', 'close');
      // The file server of the documentation page sets its own headers.
      for (const [name, value] of CONTRACT_HEADERS) reply.header(name, value);
      for (const name of VALIDATOR_HEADERS) reply.removeHeader(name);
      done(null, payload);
    });
    const server = this.#server;
    server.on('checkExpectation', (_request, response) => {
      this.requests.getOrCreate(response);
      sendError(response, 'invalid_request', 417);
    });
    server.on('connect', (_request, socket) => sendRawError(socket, 404, 'not_found', this.logger));
  }

  /**
   * Stops listening and waits until all connections are closed. Nest calls it before the server,
   * the pools and the stores close. Idle connections are kept for a moment, because a client that
   * has just received a response may be sending its next request.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const server = this.#server;
    if (!server.listening) return;
    const { shutdownDelayMs } = this.serverSettings;
    if (shutdownDelayMs > 0) {
      this.logger.log({ msg: 'stopping: no longer ready', shutdownDelayMs });
      await sleep(shutdownDelayMs);
    }
    this.logger.log({ msg: 'stopping: no new connections' });
    // The `close` method of an HTTP server would end idle connections at once; that of a plain
    // server does not.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    await sleep(QUIET_MS);
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
    const lastMs = this.settings.requestDeadlineMs + LAST_RESPONSE_MS;
    const last = setTimeout(() => server.closeAllConnections(), lastMs);
    await closed;
    clearInterval(idle);
    clearTimeout(last);
  }

  get #server(): Server {
    return this.adapters.httpAdapter.getHttpServer<Server>();
  }
}

/**
 * Returns whether a request uses HTTP/1 and, if it uses HTTP/1.1, has the required `Host` header
 * (RFC 9112, section 3.2). Node's parser also accepts other major versions.
 */
function hasValidHost({ httpVersion, httpVersionMajor, headers }: IncomingMessage): boolean {
  return httpVersionMajor === 1 && (httpVersion === '1.0' || (headers.host ?? '') !== '');
}

/**
 * Returns a URL that can be routed. Invalid percent-encoding is kept as literal text, so that an id
 * that contains it passes through the normal checks and gets a 404 response.
 */
function routableUrl(url: string): string {
  const [path = ''] = url.split('?', 1);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/**
 * Sends an error response on a bare socket, for which there is no response object, and closes the
 * socket after a delay. Closing it while unread bytes are pending would reset the connection, and
 * the client would lose the response.
 */
function sendRawError(
  socket: Duplex,
  status: number,
  code: ErrorCode,
  logger: ServiceLogger,
): void {
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
  logger.log({ msg: 'request rejected', id, status, code });
}
