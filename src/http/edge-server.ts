import { createServer, type RequestListener, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Log } from '../observability/logger.js';
import { sendError } from './error-response.js';
import type { Edge } from './edge.js';
import { ParserErrors, type ParserError } from './parser-errors.js';
import type { Pipelines } from './pipelines.js';
import { parseInSlices } from './read-slices.js';
import { sendRawError } from './raw-response.js';

/** Times in milliseconds, size in bytes. Node's own defaults change between versions, so all are named. */
export interface HttpLimits {
  /** For the request line and headers. */
  readonly headersTimeoutMs: number;
  /** For the whole request, a body that is only discarded included. */
  readonly requestTimeoutMs: number;
  /** Longer than the 60 s that load balancers keep idle connections, so that they close first. */
  readonly keepAliveTimeoutMs: number;
  /** How often the first two are looked at. */
  readonly checkIntervalMs: number;
  /** Request line and headers together. */
  readonly maxHeaderBytes: number;
  /** A connection ends when the client takes no byte of a response for so long. */
  readonly stalledResponseMs: number;
  /** The same while the service stops. */
  readonly stalledResponseOnStopMs: number;
  /** Pipelined requests of a connection that are worked on or wait for their turn to be sent. */
  readonly maxPipelined: number;
  /** Pipelined requests of all connections that were read and wait to be worked on. */
  readonly maxHeld: number;
  /**
   * The next pipelined request is let in when fewer bytes of earlier responses may still be on their way. Without
   * it the system's send buffer takes megabytes for a client that does not read.
   */
  readonly maxUntakenBytes: number;
}

/** Connections that the system completes before the process accepts them; it has a limit of its own. */
export const LISTEN_BACKLOG = 4_096;

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  keepAliveTimeoutMs: 72_000,
  checkIntervalMs: 2_000,
  maxHeaderBytes: 16_384,
  stalledResponseMs: 15_000,
  stalledResponseOnStopMs: 2_000,
  maxPipelined: 16,
  maxHeld: 20_000,
  maxUntakenBytes: 32_768,
};

/** The Node server under the framework, with nothing listening to its requests yet. */
export function createEdgeServer(limits: HttpLimits): Server {
  return createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // Node would respond to a missing Host with a plain text; the edge checks it.
    requireHostHeader: false,
  });
}

/**
 * Passes requests to the edge. What Node would respond to by itself, or not at all, gets a response in the
 * contract's form.
 *
 * @param route the framework's listener: routing and all that follows.
 */
export function openEdge(
  server: Server,
  route: RequestListener,
  { edge, pipelines, log }: { edge: Edge; pipelines: Pipelines; log: Log },
): void {
  const readBefore = parseInSlices(server, pipelines);
  const parserErrors = new ParserErrors(edge, pipelines, log, readBefore);
  const listener = pipelines.limited((request, response) => {
    edge.open(request, response);
    if (!response.writableEnded) route(request, response);
  });
  server.on('request', listener);
  // `Expect: 100-continue`: no body is wanted, so the final response comes at once.
  server.on('checkContinue', listener);
  const refuseExpectation = pipelines.limited((request, response) => {
    edge.open(request, response);
    sendError(response, 'invalid_request', { status: 417 });
  });
  server.on('checkExpectation', refuseExpectation);
  server.on('connect', (_request, socket) => {
    const id = sendRawError(socket, 404, 'not_found');
    log.info({ id, method: 'CONNECT', status: 404, code: 'not_found' }, 'request refused');
  });
  server.on('clientError', (error: ParserError, socket) => {
    if (socket instanceof Socket) parserErrors.handle(error, socket);
  });
}
