import { performance } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import { errorFields, type ErrorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import type { McpCallFacts } from '../../observability/mcp-call.js';
import type { ErrorCode } from '../../kernel/error-catalogue.js';
import { Metrics } from '../../observability/metrics.js';
import { RequestObserver, type ObservedError } from '../../observability/request-observer.js';
import type { RequestContext } from './request-context.js';
import type { RequestNotes } from './request-notes.js';

/** The ids of common gateways: UUIDs, hexadecimal or Base64 text, with separators. */
const GATEWAY_ID = /^[\w.:+/=@-]{1,128}$/;

/** Logs, counts and observes each request once, when it has ended. */
@Injectable()
export class RequestLog {
  constructor(
    private readonly logger: ServiceLogger,
    private readonly metrics: Metrics,
    private readonly observer: RequestObserver,
  ) {}

  /**
   * Records a request whose response has been sent, or whose client has left. The log line contains
   * the route's pattern, never the URL, and only the type of the caller.
   */
  async record(context: RequestContext): Promise<void> {
    const { id, route, principal, response, notes } = context;
    const { errorCode: code, traceIds } = notes;
    const { rejectionReason, originRejection, offFlag, rejectedProperties } = notes;
    const { params: parameters, query } = context.input;
    const durationMs = Math.round((performance.now() - notes.startedAt) * 100) / 100;
    const status = response.writableFinished ? response.statusCode : undefined;
    const failure = notes.failure ?? handlerFailure(notes, status);
    const { method = '', headers } = response.req;
    const mcpCall = notes.mcpCall && callWithError(notes.mcpCall, code);
    const seen = { id, method, status, code, durationMs };
    // pino omits undefined members.
    const line = {
      ...seen,
      gatewayRequestId: gatewayRequestIdOf(headers['x-request-id']),
      route: route ?? 'none',
      isAborted: status === undefined ? true : undefined,
      reason: rejectionReason ?? originRejection ?? offFlag?.reason,
      flag: offFlag?.flag,
      rejectedProperties,
      principal: principal?.type,
      ...mcpCall,
      trace_id: traceIds?.traceId,
      span_id: traceIds?.spanId,
    };
    if (notes.isLogged) {
      const failedStatus = code === undefined && !failure ? undefined : status;
      const level = levelOf(failedStatus, mcpCall?.toolError);
      this.logger[level]({ msg: 'request', ...line, ...failure });
    }
    this.metrics.requestDuration.observe(
      { route: line.route, status: status ?? 'aborted', principal: principal?.type ?? 'none' },
      durationMs / 1000,
    );
    if (mcpCall) {
      const { rpcMethod, tool = 'none', toolError = 'none' } = mcpCall;
      this.metrics.mcpCalls.inc({ method: rpcMethod, tool, error: toolError });
    }
    if (rejectionReason) this.metrics.rejections.inc({ reason: rejectionReason });
    try {
      const error = failure && observedError(failure);
      await this.observer.observe({ ...seen, route, parameters, query, principal, error, mcpCall });
    } catch (error) {
      this.logger.warn({ msg: 'request observer failed', id, ...errorFields(error) });
    }
  }
}

/**
 * Returns the failure of a handler whose error a filter of the host application has turned into the
 * response; undefined unless the response has a status of a failure.
 */
function handlerFailure(
  { handlerError }: RequestNotes,
  status: number | undefined = 0,
): ErrorFields | undefined {
  return handlerError === undefined || status < 500 ? undefined : errorFields(handlerError);
}

/**
 * Returns the level of the log line: a defect is an error, and an outage a warning.
 *
 * @param failedStatus the status of a response that an error has caused; otherwise undefined.
 * @param toolError the error code of a tool's result.
 */
function levelOf(
  failedStatus: number | undefined,
  toolError: string | undefined,
): 'log' | 'warn' | 'error' {
  if (failedStatus !== undefined && failedStatus >= 500) {
    return failedStatus === 503 ? 'warn' : 'error';
  }
  return toolError === ('unavailable' satisfies ErrorCode) ? 'warn' : 'log';
}

function observedError({
  error: name,
  errorCode: code,
  problem,
  at = [],
  causes = [],
}: ErrorFields): ObservedError {
  return { name, code, problem, at, causes };
}

/** Returns the facts of a call; a tool call that failed with an HTTP error has its code. */
function callWithError(call: McpCallFacts, code: string | undefined): McpCallFacts {
  return call.tool === undefined || code === undefined ? call : { ...call, toolError: code };
}

/**
 * Returns the `X-Request-Id` that a gateway in front of the service has assigned to the request;
 * undefined for a value that is too long or contains other characters. It never replaces the
 * service's own id, because a caller can write anything into it.
 */
function gatewayRequestIdOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && GATEWAY_ID.test(header) ? header : undefined;
}
