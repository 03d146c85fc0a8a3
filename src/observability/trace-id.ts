import { isSpanContextValid, trace } from '@opentelemetry/api';

/**
 * W3C Trace Context, section 3.2: version 00 is exactly 55 characters; later ones may go on after a
 * dash.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/**
 * Returns the trace id of the span that is being recorded, else that of a well-formed `traceparent`
 * header. An operator enables tracing by starting Node with
 * `--import @opentelemetry/auto-instrumentations-node/register` and the usual `OTEL_*` variables;
 * without a registered SDK this costs one call.
 */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  if (span && isSpanContextValid(span)) return span.traceId;
  return TRACEPARENT.exec(String(traceparent))?.[1];
}

/**
 * Names the recorded span, if any, by the pattern of its route, as OpenTelemetry's HTTP conventions
 * require.
 */
export function nameActiveSpan(method: string, route: string): void {
  trace.getActiveSpan()?.setAttribute('http.route', route).updateName(`${method} ${route}`);
}
