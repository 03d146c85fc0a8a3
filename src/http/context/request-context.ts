import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ArgumentsHost } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { RunningDeadline, type Deadline } from '../../kernel/deadline.js';
import type { Principal } from '../../kernel/principal.js';
import { UsageError } from '../../kernel/usage-error.js';
import type { TraceIds } from '../../observability/trace-id.js';
import type { Policy } from '../policy.js';
import type { ObservedRequest } from '../../observability/request-observer.js';
import { RequestNotes } from './request-notes.js';

/** An OAuth protected resource, which admits only tokens issued for it (RFC 9728, RFC 8707). */
export interface ProtectedResource {
  /** A token must be issued for one of these, which are in the form of `resourceName`. */
  readonly audiences: readonly string[];
  /** The address of the resource's metadata; undefined with the development issuer. */
  readonly metadataUrl: string | undefined;
  /** The scope that a client requests from its authorization server. */
  readonly scope: string;
}

/** The state of a request in progress. `RequestContextService` creates one for each request. */
export class RequestContext {
  /** What the handler declares; set when the call reaches its first guard. */
  policy: Policy = {};
  /**
   * Whether the handler's result was redacted for this request. The mark on the result is not
   * sufficient, because interceptors may wrap or copy the result.
   */
  isRedacted = false;
  /** The pattern of the matched route; undefined when no route matched. */
  route?: string;
  /**
   * Parameters of the path and the query as the framework parsed them; empty when no route matched.
   */
  input: Readonly<{ params: ObservedRequest['parameters']; query: ObservedRequest['query'] }> = {
    params: {},
    query: {},
  };
  /** Set before sign-in if the request is for an OAuth protected resource (RFC 9728). */
  protectedResource?: ProtectedResource;
  /** Headers of a success response, set by the handler. */
  readonly responseHeaders: Record<string, string> = {};
  /** The id of the request, which is sent as `Service-Request-Id` and written to the log line. */
  readonly id = randomUUID();
  /** What the log line, the metrics and the observer report of the request. */
  readonly notes: RequestNotes;
  readonly #deadline: RunningDeadline;
  #principal: Principal | undefined;

  /**
   * @param response Node's response; its `req` is Node's request.
   * @param deadlineMs milliseconds that the request may take from now.
   * @param traceIds the ids of the active span, otherwise those of the caller's `traceparent` if it
   *   is valid.
   */
  constructor(
    readonly response: ServerResponse<RequestWithContext>,
    deadlineMs: number,
    traceIds: TraceIds | undefined,
  ) {
    this.notes = new RequestNotes(traceIds);
    this.#deadline = new RunningDeadline(deadlineMs);
  }

  /** The request's deadline, counted from its arrival. */
  get deadline(): Deadline {
    return this.#deadline;
  }

  /** The caller, checked and frozen; undefined before `AdmissionGuard` has signed one in. */
  get principal(): Principal | undefined {
    return this.#principal;
  }

  /**
   * Sets the principal. `AdmissionGuard` calls this once.
   *
   * @throws {UsageError} when the request already has a principal, because nothing may replace the
   *   caller.
   */
  setPrincipal(principal: Principal): void {
    if (this.#principal)
      throw new UsageError('the caller is already signed in: a guard signs a caller in once');
    this.#principal = principal;
  }

  /**
   * Stops the deadline if the response was sent completely, and otherwise aborts its signal. It is
   * called when the response has been sent, or when the client has left.
   *
   * @param isSent whether the response was sent completely.
   */
  end(isSent: boolean): void {
    if (isSent) this.#deadline.stop();
    else this.#deadline.abort();
  }
}

/**
 * The property of Node's request that holds the context. A symbol avoids name clashes with the host
 * application. A WeakMap is not used, because with it the garbage collector would promote each
 * request to the old generation.
 */
export const REQUEST_CONTEXT = Symbol('deal sets request');

/** Node's request with the context of the service. */
export type RequestWithContext = IncomingMessage & { [REQUEST_CONTEXT]?: RequestContext };

/** A call over HTTP, as guards, interceptors, filters and parameter decorators get it. */
export type HttpCall = Pick<ArgumentsHost, 'switchToHttp'>;

/**
 * Returns Node's response for a call that may not have a context yet; its `req` is Node's request.
 * Fastify wraps both, Express extends them.
 */
export function rawResponse(call: HttpCall): ServerResponse<RequestWithContext> {
  const response = call.switchToHttp().getResponse<object>();
  return ('raw' in response ? response.raw : response) as ServerResponse<RequestWithContext>;
}

/**
 * Returns the context of a call.
 *
 * @throws {UsageError} on a handler without a guard that signs the caller in.
 */
export function contextOf(execution: HttpCall): RequestContext {
  const request = execution.switchToHttp().getRequest<{ readonly raw?: object }>();
  const { [REQUEST_CONTEXT]: context } = (request.raw ?? request) as RequestWithContext;
  if (!context) {
    throw new UsageError(
      'no caller was signed in: use @Endpoint or @RequireScope, and bind your own guards and interceptors to the method, above it; a test that replaces their guards must call the handler itself',
    );
  }
  return context;
}

/**
 * Returns the principal of a call.
 *
 * @throws {AppError} `unauthenticated` before sign-in, so that a guard that runs too early admits
 *   no one.
 * @throws {UsageError} on a handler without a guard that signs the caller in.
 */
export function principalOf(execution: HttpCall): Principal {
  const { principal } = contextOf(execution);
  if (!principal) throw new AppError('unauthenticated');
  return principal;
}
