import { Injectable, type CallHandler, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { AppError } from '../kernel/app-error.js';
import { UsageError } from '../kernel/usage-error.js';

/**
 * Rejects the result of a handler that declares no body, before the framework reads a status or
 * headers from it, as it does from a `Response` of the Fetch standard.
 */
@Injectable()
export class NoBodyInterceptor implements NestInterceptor {
  intercept(_execution: unknown, next: CallHandler): Observable<undefined> {
    return next.handle().pipe(map(assertNoBody));
  }
}

function assertNoBody(result: unknown): undefined {
  if (result === undefined || result === null) return;
  const advice = 'a handler that declares no body returned one: declare the class of the response';
  throw new AppError('internal', { cause: new UsageError(advice) });
}
