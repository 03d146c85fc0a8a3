import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { TRACEPARENT_META_KEY } from '@modelcontextprotocol/server';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Observable, tap } from 'rxjs';
import { contextOf } from '../http/context/request-context.js';
import type { ErrorCode } from '../kernel/error-catalogue.js';
import { OTHER, type McpCallFacts } from '../observability/mcp-call.js';
import { traceIdsOf } from '../observability/trace-id.js';
import { TOOL_NAMES } from './tool-definitions.js';

/** The methods that the protocol's library serves or accepts. */
const METHODS = [
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'notifications/initialized',
  'notifications/cancelled',
];
const TOOLS = Object.values(TOOL_NAMES);

interface Message {
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>> | null;
  } | null;
}

const knownOr = (words: readonly string[], value: unknown): string =>
  words.find((word) => word === value) ?? OTHER;

/**
 * Returns the facts of a message. Those of a tool call begin with the error `invalid_request`,
 * which the tool clears when it succeeds.
 */
function callFactsOf(message: Message | null | undefined): McpCallFacts {
  const rpcMethod = knownOr(METHODS, message?.method);
  if (rpcMethod !== 'tools/call') return { rpcMethod };
  // The library rejects an unknown tool, and arguments that do not match, without calling a tool.
  const toolError: ErrorCode = 'invalid_request';
  return { rpcMethod, tool: knownOr(TOOLS, message?.params?.name), toolError };
}

/**
 * Records the call of an assistant for the log line, the metrics and the observer of the request,
 * and as a span by OpenTelemetry's conventions for MCP. Spans of the reads are its children.
 */
@Injectable()
export class McpObservationInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { notes } = contextOf(execution);
    const { body } = execution.switchToHttp().getRequest<{ body?: Message | null }>();
    // A recorded span or a `traceparent` header has priority over the message (SEP-414).
    const traceparent = body?.params?._meta?.[TRACEPARENT_META_KEY];
    if (typeof traceparent === 'string') notes.traceIds ??= traceIdsOf(traceparent);
    notes.mcpCall = callFactsOf(body);
    const { rpcMethod, tool } = notes.mcpCall;
    const span = trace.getTracer('deal-sets').startSpan(tool ? `${rpcMethod} ${tool}` : rpcMethod, {
      kind: SpanKind.SERVER,
      attributes: { 'mcp.method.name': rpcMethod, ...(tool && { 'gen_ai.tool.name': tool }) },
    });
    const end = (errorType?: string): void => {
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
    const handled = new Observable((subscriber) =>
      context.with(trace.setSpan(context.active(), span), () =>
        next.handle().subscribe(subscriber),
      ),
    );
    return handled.pipe(
      tap({
        complete: () => end(notes.mcpCall?.toolError && 'tool_error'),
        error: (error: Error) => end(error.name),
      }),
    );
  }
}
