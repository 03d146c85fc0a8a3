import {
  Injectable,
  ServiceUnavailableException,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { requestSignal } from '@deal-sets/service';
import { fromEvent, takeUntil, throwIfEmpty, type Observable } from 'rxjs';

/**
 * Stops waiting for a handler at the deadline of the request or when the client disconnects. It
 * gives a handler with `@RequireScope` the deadline that `@Endpoint` includes.
 */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      takeUntil(fromEvent(requestSignal(context), 'abort')),
      throwIfEmpty(() => new ServiceUnavailableException()),
    );
  }
}
