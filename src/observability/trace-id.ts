import { isSpanContextValid, trace } from '@opentelemetry/api';

/** W3C Trace Context, section 3.2: version 00 is exactly this long; later ones may go on after a dash. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id of a `traceparent` header; undefined when it is absent or not well-formed. */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const match = TRACEPARENT.exec(traceparent);
  if (!match || (match[1] === '00' && match[3] !== undefined)) return undefined;
  return match[2];
}

/**
 * The trace id of the span that is being recorded, if any. A team turns tracing on by starting Node with
 * `--import @opentelemetry/auto-instrumentations-node/register` (a package of theirs) and the usual
 * `OTEL_*` variables; without a registered SDK this costs one call that finds nothing.
 */
export function activeTraceId(): string | undefined {
  const context = trace.getActiveSpan()?.spanContext();
  return context && isSpanContextValid(context) ? context.traceId : undefined;
}

/** Names the recorded span, if any, by the pattern of its route, as OpenTelemetry's HTTP conventions ask for. */
export function nameActiveSpan(method: string, route: string): void {
  trace.getActiveSpan()?.setAttribute('http.route', route).updateName(`${method} ${route}`);
}
