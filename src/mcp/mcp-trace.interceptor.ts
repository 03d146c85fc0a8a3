import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { TRACEPARENT_META_KEY } from '@modelcontextprotocol/server';
import type { Observable } from 'rxjs';
import { contextOf } from '../http/context/request-context.js';
import { traceIdsOf } from '../observability/trace-id.js';

/** The members of a JSON-RPC message that can contain a trace context. */
interface TracedMessage {
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> | null } | null;
}

/**
 * Takes the trace id of the request's log line from `_meta.traceparent` of the message (SEP-414),
 * unless a recorded span or a `traceparent` header has already supplied it.
 */
@Injectable()
export class McpTraceInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { notes } = contextOf(execution);
    const { body } = execution.switchToHttp().getRequest<{ body?: TracedMessage | null }>();
    const traceparent = body?.params?._meta?.[TRACEPARENT_META_KEY];
    if (typeof traceparent === 'string') notes.traceIds ??= traceIdsOf(traceparent);
    return next.handle();
  }
}
