import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { tap, type Observable } from 'rxjs';
import { contextOf, type RequestContext } from './request-context.js';

/**
 * Sends the headers that a handler set through `@ResponseHeaders`, once the handler and the inner
 * interceptors have succeeded. An error response has none of these headers.
 */
@Injectable()
export class SuccessHeadersInterceptor implements NestInterceptor {
  constructor(private readonly adapters: HttpAdapterHost) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { responseHeaders } = contextOf(execution);
    const response = execution.switchToHttp().getResponse<object>();
    const send = (): void => {
      for (const [name, value] of Object.entries(responseHeaders)) {
        this.adapters.httpAdapter.setHeader(response, name, value);
      }
    };
    return next.handle().pipe(tap(send));
  }
}

/** The member that the responses of Fastify and of Express share. */
export interface ResponseWithHeaders {
  removeHeader(name: string): unknown;
}

/**
 * Removes the headers that a handler set, for an error that happens after the handler has
 * succeeded.
 */
export function removeSuccessHeaders(
  response: ResponseWithHeaders,
  { responseHeaders }: RequestContext,
): void {
  for (const name of Object.keys(responseHeaders)) response.removeHeader(name);
}
