import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';
import type { ErrorFields } from '../observability/error-fields.js';
import type { EndpointPolicy } from './endpoint.decorator.js';

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
