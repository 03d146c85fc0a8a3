import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { DeadlineInterceptor } from '../http/context/deadline.interceptor.js';
import { SuccessHeadersInterceptor } from '../http/context/success-headers.interceptor.js';
import { RedactionInterceptor } from '../redaction/redaction.interceptor.js';

/**
 * Runs the interceptors of an endpoint: the result is redacted, within the deadline, and then gets
 * its headers.
 */
@Injectable()
export class EndpointInterceptor implements NestInterceptor {
  // The dependencies are injected as properties, because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly headers!: SuccessHeadersInterceptor;
  @Inject() private readonly deadline!: DeadlineInterceptor;
  @Inject() private readonly redaction!: RedactionInterceptor;

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const redacted = { handle: () => this.redaction.intercept(execution, next) };
    const inTime = { handle: () => this.deadline.intercept(execution, redacted) };
    return this.headers.intercept(execution, inTime);
  }
}
