import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';

const UNMATCHED = 'none';

/** What is kept of a request: one log line and one observation of its duration. */
@Injectable()
export class RequestRecord {
  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Writes both when the answer is out or the client has gone. The line holds the route's pattern, never
   * the URL, and of the caller only the type.
   */
  write(request: IncomingMessage, response: ServerResponse): void {
    const { id, startedAt, route = UNMATCHED, errorCode, principal, traceId } = request.context;
    const level = errorCode === undefined ? 'info' : ERROR_CATALOGUE[errorCode].logLevel;
    const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
    const wasAnswered = response.writableFinished;
    const status = wasAnswered ? statusOf(response, errorCode) : undefined;
    this.log[level](
      {
        id,
        route,
        method: request.method,
        status,
        code: errorCode,
        principal: principal?.type,
        durationMs,
        traceId,
        isAborted: wasAnswered ? undefined : true,
        ...request.context.failure,
      },
      'request',
    );
    this.metrics.observeRequest(route, status, principal?.type, durationMs / 1000);
  }
}

/** A handler that finishes after the deadline's answer may still set a status that nobody was sent. */
function statusOf(
  response: ServerResponse,
  errorCode: keyof typeof ERROR_CATALOGUE | undefined,
): number {
  return errorCode === 'unavailable' ? ERROR_CATALOGUE[errorCode].status : response.statusCode;
}
