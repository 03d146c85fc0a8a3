import type { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import type { ErrorFields } from '../observability/error-fields.js';
import type { EndpointPolicy } from './endpoint.decorator.js';

/** The OAuth protected resource that a request asks for, where it is not the API. */
export interface ProtectedResource {
  /** A token must have been issued for one of these. */
  readonly audiences: readonly string[];
  /** What a client should ask for. */
  readonly scope: string;
  /** Undefined: there is none. */
  readonly metadataUrl: string | undefined;
}

/** What the service knows of a request in progress. Created at the edge, before routing. */
export class RequestContext {
  /** Pattern of the matched route; absent where no route matched. */
  route?: string;
  /** Parameters of the path and the query, as the router parsed them; absent where no route matched. */
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
  /** What went wrong underneath, for the log line. */
  failure?: ErrorFields;
  /** The response is the service's own: a redacted body, or an error envelope. */
  isOwnResponse = false;
  /** The only payload that may be sent as the success of an endpoint. */
  body?: string;
  /** Headers of a success that a handler sets, past what interceptors can change. */
  responseHeaders?: Record<string, string>;
  #policy: EndpointPolicy | undefined;
  #principal: Principal | undefined;

  constructor(
    /** Sent as `Service-Request-Id` and written on the request's log line. */
    readonly id: string,
    readonly deadline: Deadline,
    /** `performance.now()` at arrival. */
    readonly startedAt: number,
    /** W3C trace id: of the active OpenTelemetry span, else of a valid `traceparent` of the caller. */
    readonly traceId: string | undefined,
  ) {}

  /** What the called handler declares, set by the credential guard; undefined on public handlers. */
  get policy(): EndpointPolicy | undefined {
    return this.#policy;
  }

  set policy(policy: EndpointPolicy | undefined) {
    if (this.#policy) throw new Error('the policy of a request is set once');
    this.#policy = policy;
  }

  /** Set by the credential guard, once: nothing that runs later may turn a caller into another. */
  get principal(): Principal | undefined {
    return this.#principal;
  }

  set principal(principal: Principal | undefined) {
    if (this.#principal) throw new Error('the principal of a request is set once');
    this.#principal = principal;
  }
}

declare module 'http' {
  interface IncomingMessage {
    /** Present on every request that reached the edge. */
    context: RequestContext;
  }
}
