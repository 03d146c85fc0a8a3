import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions } from 'fastify';
import type { ServiceLogger } from '../observability/service-logger.js';
import { ConnectionErrors } from './connection-errors.js';
import { sendError } from '../http/errors/send-error.js';

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
 * Creates the Fastify adapter with strict paths. It sends the contract's error responses for
 * requests that Fastify or Node rejects before routing.
 */
export function createFastifyAdapter(logger: ServiceLogger, limits = HTTP_LIMITS): FastifyAdapter {
  const { headersTimeout, connectionsCheckingInterval, maxHeaderSize, ...fastifyLimits } = limits;
  const connectionErrors = new ConnectionErrors(logger);
  const options: FastifyHttpOptions<Server> & { skipMiddie: boolean } = {
    ...fastifyLimits,
    // Node would respond to a missing Host with plain text; `ServerHooks` checks it instead.
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
