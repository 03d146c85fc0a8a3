import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { lastValueFrom, from, type Observable } from 'rxjs';
import { JSON_CONTENT_TYPE } from '../http/contract.js';
import { policyOf } from '../http/endpoint-policy.js';
import type { ProtocolResponse } from '../http/endpoint-policy.js';
import { contextOf, principalOf } from '../http/request-context.js';
import { untilAborted } from '../kernel/time-limit.js';
import { ResponseRedaction } from './response-redaction.js';

/**
 * Turns the result of an endpoint into what this type of principal may have: the fields that the response
 * declares, each in the form that it has for the type. A result that does not fit is a defect, and nothing is
 * sent. It also ends the wait for a handler at the request's deadline.
 */
@Injectable()
export class RedactionInterceptor implements NestInterceptor {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly redaction: ResponseRedaction,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.#redacted(execution, next));
  }

  async #redacted(execution: ExecutionContext, next: CallHandler): Promise<unknown> {
    const policy = policyOf(execution);
    const context = contextOf(execution);
    context.signal.throwIfAborted();
    const result: unknown = await untilAborted(context.signal, lastValueFrom(next.handle()));
    const response = execution.switchToHttp().getResponse<object>();
    const { httpAdapter } = this.adapters;
    if (policy.protocol) {
      // What it holds of a buyer is from `DealSetsApi`, which has redacted it.
      const { status, body } = result as ProtocolResponse;
      httpAdapter.status(response, status);
      if (body === '') return undefined;
      httpAdapter.setHeader(response, 'Content-Type', JSON_CONTENT_TYPE);
      return body;
    }
    const redacted = this.redaction.redact(result, policy.response, principalOf(execution));
    for (const [name, value] of Object.entries(context.responseHeaders ?? {})) {
      httpAdapter.setHeader(response, name, value);
    }
    return redacted;
  }
}
