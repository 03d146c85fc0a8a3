import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';
import { AppError, type Refusal } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { afterTime, newController, TimeLimitError, withTimeLimit } from '../kernel/time-limit.js';
import type { ErrorFields } from '../observability/error-fields.js';
import type { EndpointPolicy } from './endpoint-policy.js';

/** The OAuth protected resource that a request asks for, where it is not the API. */
export interface ProtectedResource {
  /** A token must have been issued for one of these. */
  readonly audiences: readonly string[];
  /** What a client should ask for. */
  readonly scope: string;
  /** Undefined: there is none. */
  readonly metadataUrl: string | undefined;
}

/** What the service knows of a request in progress. `Requests` makes one for each. */
export class RequestContext {
  /** Pattern of the matched route; absent where no route matched. */
  route?: string;
  /** Parameters of the path and the query, as the framework parsed them; absent where no route matched. */
  input?: {
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string | readonly string[]>>;
  };
  /** Set before the credential is looked at, for endpoints with a protocol of their own. */
  protectedResource?: ProtectedResource;
  /** Set by the rate limit guard, for endpoints with a protocol of their own. */
  rateLimitRefusal?: AppError;
  /** The error code of the response, for the log line. */
  errorCode?: string;
  /** Why the credential was refused, for the log line. */
  refusal?: Refusal;
  /** What went wrong underneath, for the log line. */
  failure?: ErrorFields;
  /** Headers of a success that a handler sets; an error response has none of them. */
  responseHeaders?: Record<string, string>;
  #policy: EndpointPolicy | undefined;
  #principal: Principal | undefined;
  #isOver = false;
  #limited: AbortSignal | undefined;
  readonly #controller = newController();
  readonly #cancelDeadline: () => void;

  /** @param deadlineMs milliseconds that the request may take from now. */
  constructor(
    /** Sent as `Service-Request-Id` and written on the request's log line. */
    readonly id: string,
    deadlineMs: number,
    /** W3C trace id: of the active OpenTelemetry span, else of a valid `traceparent` of the caller. */
    readonly traceId: string | undefined,
    /** `performance.now()` at arrival. */
    readonly startedAt = performance.now(),
  ) {
    this.#cancelDeadline = afterTime(deadlineMs, () => this.#abort());
  }

  /** Aborted at the deadline and when the client leaves, with `unavailable`; during sign-in at its limit too. */
  get signal(): AbortSignal {
    return this.#limited ?? this.#controller.signal;
  }

  /** Runs a part of the request's work with a time limit of its own; meanwhile `signal` ends with it. */
  async limit<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    try {
      return await withTimeLimit(limitMs, this.#controller.signal, (signal) => {
        this.#limited = signal;
        return work();
      });
    } finally {
      this.#limited = undefined;
    }
  }

  /** What the called handler declares, set by the credential guard; undefined on other handlers. */
  get policy(): EndpointPolicy | undefined {
    return this.#policy;
  }

  set policy(policy: EndpointPolicy | undefined) {
    this.#policy ??= policy;
  }

  /** Set by the credential guard, once: nothing that runs later may turn a caller into another. */
  get principal(): Principal | undefined {
    return this.#principal;
  }

  set principal(principal: Principal | undefined) {
    if (this.#principal) throw new Error('the principal of a request is set once');
    this.#principal = principal;
  }

  /**
   * The response is out, or the client has gone.
   *
   * @returns false when that is known already.
   */
  end(isSent: boolean): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#cancelDeadline();
    if (!isSent) this.#abort();
    return true;
  }

  #abort(): void {
    this.#controller.abort(new AppError('unavailable', { cause: new TimeLimitError() }));
  }
}

/** A symbol, so that no property of a host's request is in the way; a WeakMap would make every request an old object. */
const CONTEXT = Symbol('deal sets request');

/** Remembers the context of a request. */
export function setContext(request: IncomingMessage, context: RequestContext): void {
  Object.assign(request, { [CONTEXT]: context });
}

/** The context of a request; undefined before `Requests` has made it. */
export function findContext(request: IncomingMessage): RequestContext | undefined {
  return (request as { readonly [CONTEXT]?: RequestContext })[CONTEXT];
}

/** Node's request or response under a framework's: Fastify wraps them, Express extends them. */
export function rawOf(framework: object): unknown {
  return 'raw' in framework ? framework.raw : framework;
}

/** Node's request and response of a call. */
export function rawHttp(execution: Pick<ExecutionContext, 'switchToHttp'>): {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
} {
  const http = execution.switchToHttp();
  return {
    request: rawOf(http.getRequest<object>()) as IncomingMessage,
    response: rawOf(http.getResponse<object>()) as ServerResponse,
  };
}

/**
 * The context of a call that the credential guard has admitted.
 *
 * @throws {Error} on a handler without that guard.
 */
export function contextOf(execution: Pick<ExecutionContext, 'switchToHttp'>): RequestContext {
  const context = findContext(rawHttp(execution).request);
  if (!context) throw new Error('the credential guard has not run');
  return context;
}

/** The principal of a call; a guard that runs before sign-in, or without it, admits no one. */
export function principalOf(execution: Pick<ExecutionContext, 'switchToHttp'>): Principal {
  const { principal } = contextOf(execution);
  if (!principal) throw new AppError('unauthenticated');
  return principal;
}

/** The time of a request as a signal, for guards of a team: aborted at the deadline and when the client leaves. */
export function requestSignal(execution: Pick<ExecutionContext, 'switchToHttp'>): AbortSignal {
  return contextOf(execution).signal;
}
