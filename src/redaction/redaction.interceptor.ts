import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { requiredDeclarationOf } from '../http/handler-declaration.js';
import { markRedacted } from '../http/redacted-result.js';
import { contextOf, principalOf } from '../http/request-context.js';
import { ResponseClass } from './response-class.decorator.js';
import { ResponseRedaction } from './response-redaction.js';

/**
 * Projects the result of a handler onto the fields that its `@Redacted` class declares, each with
 * its visibility for the caller. A result that does not match the class is a defect: the response
 * is 500 and no part of the result is sent.
 */
@Injectable()
export class RedactionInterceptor implements NestInterceptor {
  // Injected as a property: the constructor of a public class is part of the package's API.
  @Inject() private readonly redaction!: ResponseRedaction;

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const dto = requiredDeclarationOf(ResponseClass, execution, 'Redacted');
    // Checked before the handler runs, because nothing may be sent without a caller.
    const principal = principalOf(execution);
    const redact = (result: unknown): unknown => {
      const redacted = this.redaction.redact(result, dto, principal);
      markRedacted(redacted, contextOf(execution));
      return redacted;
    };
    return next.handle().pipe(map(redact));
  }
}
