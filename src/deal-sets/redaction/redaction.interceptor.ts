import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { AppError } from '../../kernel/app-error.js';
import type { AnyShape } from '../wire/field.js';
import { AnswerWriter } from './answer-writer.js';
import { ANSWERS_KEY } from './answers.decorator.js';

/**
 * The last thing that happens to an answer: it is written for its reader, by the type of the principal.
 * A handler that declares no shape, or an answer that does not fit it, sends nothing (500).
 */
@Injectable()
export class RedactionInterceptor implements NestInterceptor {
  constructor(private readonly writer: AnswerWriter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<string> {
    const shape = Reflect.getMetadata(ANSWERS_KEY, context.getHandler()) as AnyShape | undefined;
    const http = context.switchToHttp();
    const { principal } = http.getRequest<FastifyRequest>().raw.context;
    if (!shape || !principal) throw new AppError('internal');
    return next.handle().pipe(
      map((answer: unknown) => {
        const body = this.writer.write(shape, answer, principal);
        void http
          .getResponse<FastifyReply>()
          .header('content-type', 'application/json; charset=utf-8');
        return body;
      }),
    );
  }
}
