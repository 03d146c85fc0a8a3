import { METHODS, type RequestListener } from 'node:http';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyServerOptions } from 'fastify';
import { Log } from '../observability/logger.js';
import { nameActiveSpan } from '../observability/trace-id.js';
import { sendError } from './send-error.js';
import { AppErrorFilter } from './app-error.filter.js';
import { Connections } from './connections.js';
import { Edge } from './edge.js';
import { EndpointReplies, holdEndpointReplies } from './endpoint-replies.js';
import { createEdgeServer, HTTP_LIMITS, openEdge, type HttpLimits } from './edge-server.js';
import { Pipelines } from './pipelines.js';
import { parseQueryString } from './query-string.js';
import type { RequestContext } from './request-context.js';
import { routableUrl } from './routable-url.js';
import { ResponseSerializer } from '../response-shape/response-serializer.js';

/** Longer than any request target can be, so that the router never refuses a parameter for its length. */
const MAX_PARAM_LENGTH = 1 << 20;

/** The Fastify adapter behind the edge, and the call that opens the edge once the application is made. */
export interface EdgeAdapter {
  readonly adapter: FastifyAdapter;
  /** Connects the application's edge to the server. Until then no request gets a response. */
  open(app: NestFastifyApplication): void;
  /** The same for a server that is a host's: its listener calls this one. */
  attach(app: NestFastifyApplication): RequestListener;
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
    genReqId: (request) => request.context.id,
    return503OnClosing: false,
    // Express-style middleware has no place here, and its matching costs every request.
    skipMiddie: true,
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: MAX_PARAM_LENGTH,
      querystringParser: parseQueryString,
    },
  };
  const adapter = new EndpointReplies(options);
  withoutBodies(adapter);
  withRoutePatterns(adapter);
  holdEndpointReplies(adapter);
  const prepare = (app: NestFastifyApplication): { edge: Edge; route: RequestListener } => {
    if (!route) throw new Error('the framework gave the server no listener');
    // Of the global filters Nest asks the last first: no module's filter comes before the envelope.
    app.useGlobalFilters(app.get(AppErrorFilter));
    adapter.serializeWith(() => app.get(ResponseSerializer, { strict: false }));
    return { edge: app.get(Edge), route };
  };
  return {
    adapter,
    attach(app) {
      const { edge, route } = prepare(app);
      return (request, response) => {
        edge.open(request, response);
        if (!response.writableEnded) route(request, response);
      };
    },
    open(app) {
      const { edge, route } = prepare(app);
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
        const { context } = request.raw;
        context.route = pattern;
        context.input = request as RequestContext['input'];
        nameActiveSpan(request.method, pattern);
        done();
      },
    ];
  });
}
