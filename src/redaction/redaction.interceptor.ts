import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { JSON_CONTENT_TYPE } from '../http/contract.js';
import { policyOf, type ProtocolResponse } from '../endpoint/endpoint-policy.js';
import { contextOf, principalOf } from '../http/request-context.js';
import { untilAborted } from '../kernel/time-limit.js';
import { ResponseRedaction } from './response-redaction.js';

/**
 * Makes of an endpoint's result what this principal may have: the fields that the response declares, each in
 * its form. A result that does not fit is a defect, and nothing is sent. It also ends the wait for a handler at the
 * request's deadline.
 */
@Injectable()
export class RedactionInterceptor implements NestInterceptor {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly redaction: ResponseRedaction,
  ) {}

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const policy = policyOf(execution);
    const { signal, responseHeaders } = contextOf(execution);
    signal.throwIfAborted();
    const result: unknown = await untilAborted(signal, lastValueFrom(next.handle()));
    const response = execution.switchToHttp().getResponse<object>();
    const { httpAdapter } = this.adapters;
    if (policy.protocol) {
      // What it holds of a buyer is from `DealSetsApi`, which has redacted it.
      const { status, body } = result as ProtocolResponse;
      httpAdapter.status(response, status);
      if (body === '') return of(undefined);
      httpAdapter.setHeader(response, 'Content-Type', JSON_CONTENT_TYPE);
      return of(body);
    }
    const redacted = this.redaction.redact(result, policy.response, principalOf(execution));
    for (const [name, value] of Object.entries(responseHeaders)) {
      httpAdapter.setHeader(response, name, value);
    }
    return of(redacted);
  }
}
