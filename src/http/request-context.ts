import type { Deadline } from '../kernel/deadline.js';
import type { ErrorCode } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';

/** What the service knows of a request while it answers it. Made at the edge, before routing. */
export interface RequestContext {
  /** Sent as `Service-Request-Id` and written on the request's log line. */
  readonly id: string;
  readonly deadline: Deadline;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  /** W3C trace context, when the caller sent a valid `traceparent`. */
  readonly traceId: string | undefined;
  /** Set by the credential guard; absent until then. */
  principal?: Principal;
  /** The error code that was answered, for the log line. */
  errorCode?: ErrorCode;
}

declare module 'http' {
  interface IncomingMessage {
    /** Present on every request that reached the edge's first hook. */
    context: RequestContext;
  }
}
