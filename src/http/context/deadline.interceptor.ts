import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { untilAborted } from '../../kernel/time-limit.js';
import { contextOf } from './request-context.js';

/**
 * Stops waiting for a handler at the request's deadline; the response is then 503 `unavailable`.
 */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { signal } = contextOf(execution).deadline;
    signal.throwIfAborted();
    return from(untilAborted(signal, lastValueFrom(next.handle())));
  }
}
