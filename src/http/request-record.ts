import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { REQUEST_OBSERVERS } from '../observability/observers.module.js';
import type { ObservedRequest, RequestObserver } from '../observability/request-observer.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';

const UNMATCHED = 'none';

/** What is kept of a request: one log line and one observation of its duration. */
@Injectable()
export class RequestRecord {
  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    @Optional()
    @Inject(REQUEST_OBSERVERS)
    private readonly observers: readonly RequestObserver[] = [],
  ) {}

  /**
   * Writes both when the answer is out or the client has gone. The line holds the route's pattern, never
   * the URL, and of the caller only the type.
   */
  write(request: IncomingMessage, response: ServerResponse): void {
    const { context } = request;
    const { route = UNMATCHED, errorCode, principal } = context;
    const durationMs = Math.round((performance.now() - context.startedAt) * 100) / 100;
    const status = response.writableFinished ? statusOf(response, errorCode) : undefined;
    const fields = `"id":"${context.id}","route":${quoted(route)},"method":"${request.method ?? ''}",${
      status === undefined ? '"isAborted":true' : `"status":${status}`
    }${member('code', errorCode)}${member('principal', principal?.type)},"durationMs":${durationMs}${member('traceId', context.traceId)}`;
    const level = isCatalogued(errorCode) ? ERROR_CATALOGUE[errorCode].logLevel : 'info';
    if (level === 'info') {
      this.log.infoJson(fields, 'request');
    } else {
      const parsed = JSON.parse(`{${fields}}`) as object;
      this.log[level]({ ...parsed, ...context.failure }, 'request');
    }
    this.metrics.observeRequest(route, status, principal?.type, durationMs / 1000);
    if (this.observers.length === 0) return;
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

  /** A failure of an observer is logged, and nothing else comes of it. */
  #notify(request: ObservedRequest): void {
    const report = (error: unknown): void =>
      this.log.warn({ id: request.id, ...errorFields(error) }, 'request observer failed');
    for (const observer of this.observers) {
      try {
        Promise.resolve(observer.observe(request)).catch(report);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** Codes, types and ids need no escaping: none of them is a caller's text. */
function member(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":"${value}"`;
}

const QUOTED = new Map<string, string>();

/** A route's pattern as JSON; there are as many as there are routes. */
function quoted(route: string): string {
  let text = QUOTED.get(route);
  if (text === undefined) {
    text = JSON.stringify(route);
    QUOTED.set(route, text);
  }
  return text;
}

/** False for a success and for a code of an endpoint's own. */
function isCatalogued(code: string | undefined): code is keyof typeof ERROR_CATALOGUE {
  return code !== undefined && Object.hasOwn(ERROR_CATALOGUE, code);
}

/** A handler that finishes after the deadline's answer may still set a status that nobody was sent. */
function statusOf(response: ServerResponse, errorCode: string | undefined): number {
  return errorCode === 'unavailable' ? ERROR_CATALOGUE[errorCode].status : response.statusCode;
}
