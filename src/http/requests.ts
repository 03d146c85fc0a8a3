import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { activeTraceId, traceIdOf } from '../observability/trace-id.js';
import { CONTRACT_HEADERS, REQUEST_ID_HEADER } from './contract-headers.js';
import { findContext, RequestContext, setContext } from './request-context.js';
import { RequestLog } from './request-log.js';

/**
 * Begins each request: the standalone application when it arrives, the module inside a host at its first guard.
 * From then on the response carries the contract's headers and the deadline runs; when the response is out, or
 * the client has gone, the request is logged and counted.
 */
@Injectable()
export class Requests {
  constructor(
    private readonly settings: Settings,
    private readonly log: RequestLog,
  ) {}

  /** The context of the request, made at the first call. */
  begin(request: IncomingMessage, response: ServerResponse): RequestContext {
    const known = findContext(request);
    if (known) return known;
    const traceId = activeTraceId() ?? traceIdOf(request.headers['traceparent']);
    const context = new RequestContext(randomUUID(), this.settings.requestDeadlineMs, traceId);
    setContext(request, context);
    for (const [name, value] of CONTRACT_HEADERS) response.setHeader(name, value);
    response.setHeader(REQUEST_ID_HEADER, context.id);
    response.once('close', () => this.end(request, response));
    return context;
  }

  /** The response is out, or the client has gone; further calls have no effect. */
  end(request: IncomingMessage, response: ServerResponse): void {
    const context = findContext(request);
    if (context?.end(response.writableFinished)) this.log.write(request, response, context);
  }
}
