import type { Server } from 'node:http';
import { BadRequestException, Injectable, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { MCP_PATH } from '../auth/mcp-resource.js';
import { Settings } from '../config/settings.js';
import { nameActiveSpan } from '../observability/trace-id.js';
import { corsOptions } from './cors.js';
import { sendError } from '../http/errors/send-error.js';
import { isTextTooDeep } from '../http/json-depth.js';
import { RequestContextService } from '../http/context/request-context.service.js';
import { ServerShutdown } from './server-shutdown.js';

/**
 * The route of `@fastify/cors` for `OPTIONS`; only a preflight from a listed origin gets a response
 * from it.
 */
const CORS_ROUTE = '*';

/** Limit for the body of a POST to `/mcp`, in bytes; a call of a tool has less than 4 kB. */
const MESSAGE_LIMIT = 16_384;

/** The Fastify configuration of a route whose requests are counted but not logged. */
export const NOT_LOGGED = { isLogged: false };

/**
 * Creates the context of every request of the standalone application, and rejects unknown paths
 * before a body is parsed. During a shutdown, responses carry `Connection: close`.
 */
@Injectable()
export class ServerHooks {
  constructor(
    private readonly adapters: HttpAdapterHost<FastifyAdapter>,
    private readonly requests: RequestContextService,
    private readonly settings: Settings,
    private readonly shutdown: ServerShutdown,
  ) {}

  /**
   * Registers the hooks and the listeners of the server. Must be called before the application
   * listens.
   */
  register(): void {
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
      const context = this.requests.ofResponse(reply.raw);
      const { url = '', config } = request.routeOptions;
      if (request.is404 || url === CORS_ROUTE) {
        done(new NotFoundException());
        return;
      }
      context.route = url;
      context.notes.isLogged = (config as Partial<typeof NOT_LOGGED>).isLogged ?? true;
      context.input = request as typeof context.input;
      nameActiveSpan(request.method, url);
      // Node's parser also accepts other major versions.
      const isHttp1 = request.raw.httpVersionMajor === 1;
      const hasHost = request.raw.httpVersion === '1.0' || (request.headers.host ?? '') !== '';
      // HTTP/1.1 requires the header (RFC 9112, section 3.2).
      if (isHttp1 && !hasHost) context.notes.originRejection = 'host_missing';
      done(isHttp1 && hasHost ? undefined : new BadRequestException());
    });
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      // The response to a preflight is sent before the hook above runs.
      this.requests.ofResponse(reply.raw);
      if (this.shutdown.isStopping) reply.header('Connection', 'close');
      done(null, payload);
    });
    const server = httpAdapter.getHttpServer<Server>();
    server.on('checkExpectation', (_request, response) => {
      this.requests.ofResponse(response);
      sendError(response, 'invalid_request', 417);
    });
  }
}
