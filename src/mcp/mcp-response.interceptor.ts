import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { JSON_CONTENT_TYPE } from '../http/context/contract-headers.js';
import { contextOf } from '../http/context/request-context.js';

/** A response created by the protocol's library. */
export interface McpHttpResponse {
  readonly status: number;
  /** JSON text; empty where the response has no body. */
  readonly body: string;
}

/** Sends the status and the JSON text of an `McpHttpResponse`. */
@Injectable()
export class McpResponseInterceptor implements NestInterceptor {
  constructor(private readonly adapters: HttpAdapterHost) {}

  intercept(execution: ExecutionContext, next: CallHandler<McpHttpResponse>): Observable<unknown> {
    const response = execution.switchToHttp().getResponse<object>();
    const { httpAdapter } = this.adapters;
    const send = ({ status, body }: McpHttpResponse): string | undefined => {
      // `DealSetsApi` has already redacted the buyer's data in this body.
      contextOf(execution).isRedacted = true;
      httpAdapter.status(response, status);
      if (body === '') return undefined;
      httpAdapter.setHeader(response, 'Content-Type', JSON_CONTENT_TYPE);
      return body;
    };
    return next.handle().pipe(map(send));
  }
}
