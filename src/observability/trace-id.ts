import { context, createContextKey, isSpanContextValid, trace } from '@opentelemetry/api';

/**
 * The key under which the HTTP instrumentation of every SDK keeps the route for its metrics. It is
 * the key of `getRPCMetadata` in `@opentelemetry/core`, of which each version accepts only a few
 * versions of the API: a dependency on it would keep this package from being installed beside
 * others.
 */
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

/**
 * W3C Trace Context, section 3.2: a header of version 00 has exactly 55 characters; a header of a
 * later version may continue after a dash.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The ids that connect a log line with a trace. */
export interface TraceIds {
  readonly traceId: string;
  /** Undefined when there is no active span. */
  readonly spanId?: string;
}

/**
 * Returns the ids of the active span. If there is none, it returns the trace id of a well-formed
 * `traceparent` header. An operator enables tracing by starting Node with
 * `--import @opentelemetry/auto-instrumentations-node/register` and the usual `OTEL_*` variables;
 * without a registered SDK, looking for a span costs one call.
 */
export function traceIdsOf(traceparent: string | string[] | undefined): TraceIds | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  if (span && isSpanContextValid(span)) return span;
  const traceId = TRACEPARENT.exec(String(traceparent))?.[1];
  return traceId === undefined ? undefined : { traceId };
}

/**
 * Names the active span, if any, after the method and the pattern of the route, and passes the
 * pattern to the metrics of the HTTP instrumentation, as OpenTelemetry's HTTP conventions require.
 */
export function nameActiveSpan(method: string, route: string): void {
  trace.getActiveSpan()?.setAttribute('http.route', route).updateName(`${method} ${route}`);
  const metadata = context.active().getValue(RPC_METADATA) as { route?: string } | undefined;
  if (metadata) metadata.route = route;
}
