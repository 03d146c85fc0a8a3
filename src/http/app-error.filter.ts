import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../kernel/app-error.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { answerError } from './answer-error.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';

/**
 * Turns whatever a guard, a handler or the framework threw into the one error answer. Nothing of the
 * thrown error but its code reaches the answer. It must not throw, whatever it is given: behind it stands
 * only the framework, whose own error pages say too much.
 */
@Catch()
export class AppErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(exception: unknown, host: ArgumentsHost): FastifyReply {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    try {
      this.#answer(toAppError(exception), reply);
    } catch (failure) {
      this.#lastResort(failure, reply);
    }
    return reply;
  }

  #answer(error: AppError, reply: FastifyReply): void {
    const response = reply.raw;
    // What fails after the answer is out (at the deadline, or the client left) changes nothing any more.
    if (response.headersSent || response.writableEnded || response.destroyed) return;
    if (ERROR_CATALOGUE[error.code].logLevel !== 'info') {
      response.req.context.failure = errorFields(error.cause ?? error);
    }
    const { reason, retryAfterSeconds } = error;
    answerError(response, error.code, { reason, retryAfterSeconds });
  }

  #lastResort(failure: unknown, reply: FastifyReply): void {
    try {
      this.log.error(errorFields(failure), 'the error answer could not be made');
      answerError(reply.raw, 'internal');
    } catch {
      reply.raw.destroy();
    }
  }
}

/** An unknown path is `not_found`; what is not one of ours is a defect. */
function toAppError(exception: unknown): AppError {
  if (exception instanceof AppError) return exception;
  if (exception instanceof HttpException && exception.getStatus() === 404) {
    return new AppError('not_found');
  }
  return new AppError('internal', { cause: exception });
}
