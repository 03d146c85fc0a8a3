import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { markRedacted } from './net/last-redaction-check.js';
import { contextOf, principalOf } from '../http/context/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { UsageError } from '../kernel/usage-error.js';
import { ResponseRedaction } from './response-redaction.js';

/**
 * Projects the result of a handler onto the fields that its declared class has, each with its
 * visibility for the caller. A result that does not match the class is a defect: the response is
 * 500 and no part of the result is sent.
 */
@Injectable()
export class RedactionInterceptor implements NestInterceptor {
  constructor(private readonly redaction: ResponseRedaction) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const context = contextOf(execution);
    // Checked before the handler runs, because nothing may be sent without a caller.
    const principal = principalOf(execution);
    const { response } = context.policy;
    if (!response) throw new UsageError('the handler must declare the class of its result');
    const redact = (result: unknown): unknown => {
      const redacted = this.#redact(result, response, principal);
      markRedacted(redacted, context);
      return redacted;
    };
    return next.handle().pipe(map(redact));
  }

  #redact(result: unknown, response: Type, principal: Principal): object {
    try {
      return this.redaction.redact(result, response, principal);
    } catch (cause) {
      throw cause instanceof AppError ? cause : new AppError('internal', { cause });
    }
  }
}
