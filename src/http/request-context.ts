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

/** What the service knows of a request while it answers it. Made at the edge, before routing. */
export interface RequestContext {
  /** Sent as `Service-Request-Id` and written on the request's log line. */
  readonly id: string;
  readonly deadline: Deadline;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  /** W3C trace id: of the active OpenTelemetry span, else of a valid `traceparent` of the caller. */
  readonly traceId: string | undefined;
  /** Pattern of the route that answers; absent where no route matched. */
  route?: string;
  /** What the called handler declares, set by the credential guard; absent on public handlers. */
  policy?: EndpointPolicy;
  /** Set by the credential guard; absent until then. */
  principal?: Principal;
  /** Set before the credential is looked at, for endpoints with a protocol of their own. */
  protectedResource?: ProtectedResource;
  /** Set by the rate limit guard, for endpoints with a protocol of their own. */
  rateLimitRefusal?: AppError;
  /** The error code that was answered, for the log line. */
  errorCode?: string;
  /** What went wrong underneath, for the log line. */
  failure?: ErrorFields;
}

declare module 'http' {
  interface IncomingMessage {
    /** Present on every request that reached the edge. */
    context: RequestContext;
  }
}
