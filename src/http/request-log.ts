import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { RequestObserver, type ObservedRequest } from '../observability/request-observer.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import type { RequestContext } from './request-context.js';

const UNMATCHED = 'none';

/** One log line and one observation of the duration for each request. */
@Injectable()
export class RequestLog {
  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly observer: RequestObserver,
  ) {}

  /**
   * Writes both when the response is sent or the client has gone. The line holds the route's pattern, never
   * the URL, and of the caller only the type.
   */
  write(request: IncomingMessage, response: ServerResponse, context: RequestContext): void {
    const { route = UNMATCHED, errorCode, principal, refusal } = context;
    const durationMs = Math.round((performance.now() - context.startedAt) * 100) / 100;
    const status = response.writableFinished ? response.statusCode : undefined;
    const level = isCatalogued(errorCode) ? ERROR_CATALOGUE[errorCode].logLevel : 'info';
    // pino leaves out what is undefined.
    const line = {
      id: context.id,
      route,
      method: request.method,
      status,
      isAborted: status === undefined ? true : undefined,
      code: errorCode,
      reason: refusal,
      principal: principal?.type,
      durationMs,
      traceId: context.traceId,
    };
    this.log[level](level === 'info' ? line : { ...line, ...context.failure }, 'request');
    this.metrics.observeRequest(route, status, principal?.type, durationMs / 1000);
    if (refusal) this.metrics.refusals.inc({ reason: refusal });
    this.#notify({
      id: context.id,
      method: request.method ?? '',
      route: context.route,
      parameters: context.input?.params ?? {},
      query: context.input?.query ?? {},
      status,
      code: errorCode,
      principal,
      durationMs,
    });
  }

  /** A failure of the observer is logged, and nothing else comes of it. */
  #notify(request: ObservedRequest): void {
    const report = (error: unknown): void =>
      this.log.warn({ id: request.id, ...errorFields(error) }, 'request observer failed');
    try {
      Promise.resolve(this.observer.observe(request)).catch(report);
    } catch (error) {
      report(error);
    }
  }
}

/** False for a success and for a code of an endpoint's own. */
function isCatalogued(code: string | undefined): code is keyof typeof ERROR_CATALOGUE {
  return code !== undefined && Object.hasOwn(ERROR_CATALOGUE, code);
}
