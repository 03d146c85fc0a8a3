import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { endpointPolicy } from '../http/endpoint.decorator.js';
import { sendProtocolResponse, type ProtocolResponse } from '../http/protocol-response.js';
import { AppError } from '../kernel/app-error.js';
import { ResponseSerializer } from './response-serializer.js';

/**
 * The last step of every response: the handler's result is serialized by its declared shape for the type of
 * the principal. A result that does not fit the shape sends nothing (500). Public handlers pass; an endpoint
 * with a protocol of its own writes its response itself, from data that `DealSetsApi` serialized here.
 */
@Injectable()
export class RedactionInterceptor implements NestInterceptor {
  constructor(private readonly serializer: ResponseSerializer) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const policy = endpointPolicy(context);
    if (!policy) return next.handle();
    const http = context.switchToHttp();
    const { principal } = http.getRequest<FastifyRequest>().raw.context;
    if (!principal) throw new AppError('internal');
    if (policy.protocol) {
      const reply = http.getResponse<FastifyReply>();
      return next.handle().pipe(
        map((result: unknown) => {
          sendProtocolResponse(reply.raw, result as ProtocolResponse);
          reply.hijack();
        }),
      );
    }
    return next.handle().pipe(
      map((result: unknown) => {
        const body = this.serializer.write(policy.response, result, principal);
        void http
          .getResponse<FastifyReply>()
          .header('content-type', 'application/json; charset=utf-8');
        return body;
      }),
    );
  }
}
