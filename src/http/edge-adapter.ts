import { METHODS, type RequestListener } from 'node:http';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyServerOptions } from 'fastify';
import { Log } from '../observability/logger.js';
import { nameActiveSpan } from '../observability/trace-id.js';
import { ContractFilter } from './contract.filter.js';
import { Connections } from './connections.js';
import { Edge } from './edge.js';
import { createEdgeServer, HTTP_LIMITS, openEdge, type HttpLimits } from './edge-server.js';
import { sendError } from './error-response.js';
import { Pipelines } from './pipelines.js';
import { findContext, type RequestContext } from './request-context.js';
import { routableUrl } from './routable-url.js';

/** Longer than any request target can be, so that the router never refuses a parameter for its length. */
const MAX_PARAM_LENGTH = 1 << 20;

/** The Fastify adapter behind the edge, and the call that opens the edge once the application is made. */
export interface EdgeAdapter {
  readonly adapter: FastifyAdapter;
  /** Connects the application's edge to the server. Until then no request gets a response. */
  open(app: NestFastifyApplication): void;
}

/**
 * Fastify with strict paths, HEAD as GET without a body, no body parsing on any method and no answer of
 * its own making.
 */
export function createEdgeAdapter(limits: HttpLimits = HTTP_LIMITS): EdgeAdapter {
  const server = createEdgeServer(limits);
  let route: RequestListener | undefined;
  const options: FastifyServerOptions & { skipMiddie: boolean } = {
    serverFactory: (handler) => {
      route = handler;
      return server;
    },
    // The edge listens to these errors itself.
    clientErrorHandler: () => undefined,
    frameworkErrors: (_error, _request, reply) => sendError(reply.raw, 'invalid_request'),
    rewriteUrl: (request) => routableUrl(request.url ?? '/'),
    genReqId: (request) => findContext(request)?.id ?? '',
    return503OnClosing: false,
    // Express-style middleware has no place here, and its matching costs every request.
    skipMiddie: true,
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: MAX_PARAM_LENGTH,
    },
  };
  const adapter = new FastifyAdapter(options);
  withoutBodies(adapter);
  withRoutePatterns(adapter);
  return {
    adapter,
    open(app) {
      if (!route) throw new Error('the framework gave the server no listener');
      app.useGlobalFilters(app.get(ContractFilter));
      const edge = app.get(Edge);
      const log = app.get(Log);
      const pipelines = new Pipelines(edge, limits, log);
      openEdge(server, route, { edge, pipelines, log });
      app.get(Connections).watch(server, limits, pipelines);
    },
  };
}

/** The framework reads no body, on any method: an endpoint that declares one reads it after the guards. */
function withoutBodies(adapter: FastifyAdapter): void {
  const fastify = adapter.getInstance();
  for (const method of ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY']) {
    if (!METHODS.includes(method)) continue;
    fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}

/** Records the matched route in the request's context, for its log line and metrics. */
function withRoutePatterns(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('onRoute', (options) => {
    const pattern = options.url;
    options.onRequest = [
      ...[options.onRequest ?? []].flat(),
      (request, _reply, done): void => {
        const context = findContext(request.raw);
        if (context) {
          context.route = pattern;
          context.input = request as RequestContext['input'];
        }
        nameActiveSpan(request.method, pattern);
        done();
      },
    ];
  });
}
