import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import { rawResponse, REQUEST_CONTEXT } from './request-context.js';

/**
 * Notes what a handler, its pipes or the interceptors below throw, for the log line and the
 * observer, because the filters of the host application send the response. It changes nothing and
 * has no dependencies, so that a unit test of a controller need not replace it.
 */
@Injectable()
export class HandlerErrorInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      tap({
        error: (thrown: unknown) => {
          const context = rawResponse(execution).req[REQUEST_CONTEXT];
          if (context) context.notes.handlerError = thrown;
        },
      }),
    );
  }
}
