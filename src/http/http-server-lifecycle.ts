import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
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
import { MCP_PATH, Settings } from '../config/settings.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { nameActiveSpan } from '../observability/trace-id.js';
import { ConnectionErrors } from './connection-errors.js';
import { CONTRACT_HEADERS } from './contract-headers.js';
import { corsOptions } from './cors.js';
import { sendError } from './error-response.js';
import { isTextTooDeep } from './json-depth.js';
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

/** Limit for the body of a POST to `/mcp`, in bytes; a call of a tool has less than 4 kB. */
const MESSAGE_LIMIT = 32_768;

/**
 * How long idle connections stay open during a shutdown, because a client may be sending its next
 * request.
 */
const QUIET_MS = 250;
/** The interval at which idle connections are closed after `QUIET_MS`. */
const CLOSE_IDLE_INTERVAL_MS = 100;
/** The time in which a client can receive the last response, after that request's deadline. */
const LAST_RESPONSE_MS = 1_000;
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
  const connectionErrors = new ConnectionErrors(logger);
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
    clientErrorHandler: ({ code }, socket) => connectionErrors.handle(code, socket),
    return503OnClosing: false,
    // Express-style middleware is not used.
    skipMiddie: true,
  };
  const adapter = new FastifyAdapter(options);
  connectionErrors.watch(adapter.getInstance().server);
  return adapter;
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
    const parseJson = fastify.getDefaultJsonParser('error', 'error');
    fastify.addContentTypeParser<string>(
      'application/json',
      { parseAs: 'string' },
      (request, body, done) => {
        if (isTextTooDeep(body)) done(new BadRequestException());
        else void parseJson(request, body, done);
      },
    );
    fastify.addHook('onRoute', (route) => {
      if (route.url === MCP_PATH) route.bodyLimit = MESSAGE_LIMIT;
    });
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
      // Node's parser also accepts other major versions.
      const isHttp1 = request.raw.httpVersionMajor === 1;
      const hasHost = request.raw.httpVersion === '1.0' || (request.headers.host ?? '') !== '';
      // HTTP/1.1 requires the header (RFC 9112, section 3.2).
      if (isHttp1 && !hasHost) context.originRejection = 'host_missing';
      done(isHttp1 && hasHost ? undefined : new BadRequestException());
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
