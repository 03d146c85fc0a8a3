import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ArgumentsHost } from '@nestjs/common';
import { AppError, type Refusal } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { afterTime, newController, TimeLimitError } from '../kernel/time-limit.js';
import type { ErrorFields } from '../observability/error-fields.js';
import type { ObservedRequest } from '../observability/request-observer.js';
import type { EndpointPolicy } from './endpoint-policy.js';

/** What the service knows of a request in progress. `Requests` makes one for each. */
export class RequestContext {
  /** Set by the first guard of an endpoint. */
  policy?: EndpointPolicy;
  /** Pattern of the matched route; absent where no route matched. */
  route?: string;
  /** Parameters of the path and the query, as the framework parsed them; none where no route matched. */
  input: Readonly<{ params: ObservedRequest['parameters']; query: ObservedRequest['query'] }> = {
    params: {},
    query: {},
  };
  /** Set by the credential guard, frozen. */
  principal?: Principal;
  /** For endpoints with a protocol of their own, set before the credential is looked at: a token is for one of these. */
  protectedResource?: Readonly<{ audiences: readonly string[]; metadataUrl: string | undefined }>;
  /** For the same, set by the rate limit guard. */
  rateLimitRefusal?: AppError;
  /** For the log line: the code of the response, why the credential was refused, and what went wrong underneath. */
  errorCode?: string;
  refusal?: Refusal;
  failure?: ErrorFields;
  /** Of a success, set by the handler. */
  readonly responseHeaders: Record<string, string> = {};
  /** Sent as `Service-Request-Id` and written on the request's log line. */
  readonly id = randomUUID();
  /** `performance.now()` at arrival. */
  readonly startedAt = performance.now();
  /** Aborted at the deadline and when the client leaves, with `unavailable`; during sign-in at its limit too. */
  signal: AbortSignal;
  readonly #controller = newController();
  readonly #cancelDeadline: () => void;

  /**
   * @param deadlineMs milliseconds that the request may take from now.
   * @param traceId W3C trace id: of the active span, else of a valid `traceparent` of the caller.
   */
  constructor(
    deadlineMs: number,
    readonly traceId: string | undefined,
  ) {
    this.signal = this.#controller.signal;
    this.#cancelDeadline = afterTime(deadlineMs, () => this.#abort());
  }

  /** The response is out, or the client has gone. */
  end(isSent: boolean): void {
    this.#cancelDeadline();
    if (!isSent) this.#abort();
  }

  #abort(): void {
    this.#controller.abort(new AppError('unavailable', { cause: new TimeLimitError() }));
  }
}

/** A symbol, so that no property of a host's request is in the way; a WeakMap would make every request an old object. */
export const CONTEXT = Symbol('deal sets request');

export type RequestWithContext = IncomingMessage & { [CONTEXT]?: RequestContext };

type HttpCall = Pick<ArgumentsHost, 'switchToHttp'>;

/** Node's request under the framework's: Fastify wraps it, Express extends it. */
export function rawRequest(request: object): RequestWithContext {
  return ('raw' in request ? request.raw : request) as RequestWithContext;
}

/** Node's response of a call; its `req` is Node's request. */
export function rawResponse(execution: HttpCall): ServerResponse<RequestWithContext> {
  const response = execution.switchToHttp().getResponse<object>();
  return ('raw' in response ? response.raw : response) as ServerResponse<RequestWithContext>;
}

/** @throws {Error} on a handler without the credential guard. */
export function contextOf(execution: HttpCall): RequestContext {
  return contextOfRequest(execution.switchToHttp().getRequest<object>());
}

export function contextOfRequest(request: object): RequestContext {
  const context = rawRequest(request)[CONTEXT];
  if (!context) throw new Error('the credential guard has not run');
  return context;
}

/** The principal of a call. A guard that runs before sign-in, or without it, admits no one. */
export function principalOf(execution: HttpCall): Principal {
  const { principal } = contextOf(execution);
  if (!principal) throw new AppError('unauthenticated');
  return principal;
}

/** The time of a request as a signal, for guards of a team: aborted at the deadline and when the client leaves. */
export function requestSignal(execution: HttpCall): AbortSignal {
  return contextOf(execution).signal;
}

/** The caller, as the credential guard verified it. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, execution): Principal =>
  principalOf(execution),
);

/** The request's time as an `AbortSignal`: aborted at the deadline and when the client leaves. */
export const RequestSignal = createParamDecorator((_data: unknown, execution): AbortSignal =>
  requestSignal(execution),
);

/** When the request arrived, as `performance.now()` says. */
export const RequestStart = createParamDecorator(
  (_data: unknown, execution): number => contextOf(execution).startedAt,
);

/** Why a request to an endpoint with a protocol of its own is over the rate limit; undefined when it is not. */
export const RateLimitRefusal = createParamDecorator(
  (_data: unknown, execution): AppError | undefined => contextOf(execution).rateLimitRefusal,
);

/** Headers of the endpoint's success response, to be filled by the handler; an error response has none of them. */
export const ResponseHeaders = createParamDecorator(
  (_data: unknown, execution): Record<string, string> => contextOf(execution).responseHeaders,
);
