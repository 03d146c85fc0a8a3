import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../kernel/app-error.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { sendError, answerOwnError } from './send-error.js';
import type { EndpointPolicy } from './endpoint.decorator.js';
import { DeclaredError, OwnErrors, type OwnError } from './own-errors.js';
import { codeOfStatus, ERROR_CATALOGUE } from './error-catalogue.js';

/**
 * Sends the one error response for anything that a guard, a handler or the framework throws. Of the thrown
 * error only code, status and known cause reach the response. It must not throw on any input: the
 * framework's own error pages would expose internals.
 */
@Catch()
export class AppErrorFilter implements ExceptionFilter {
  constructor(
    private readonly log: Log,
    private readonly ownErrors: OwnErrors,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): FastifyReply {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    try {
      this.#send(exception, reply);
    } catch (failure) {
      this.#lastResort(failure, reply);
    }
    return reply;
  }

  #send(exception: unknown, reply: FastifyReply): void {
    const response = reply.raw;
    // A failure after the response is out (at the deadline, or the client left) changes nothing any more.
    if (response.headersSent || response.writableEnded || response.destroyed) return;
    const { policy } = response.req.context;
    const own = ownErrorOf(exception, policy, this.ownErrors.all);
    if (own) {
      answerOwnError(response, own);
      return;
    }
    const { error, status } = toAppError(exception);
    if (ERROR_CATALOGUE[error.code].logLevel !== 'info') {
      response.req.context.failure = errorFields(error.cause ?? error);
    }
    const { reason, retryAfterSeconds, scope } = error;
    sendError(response, error.code, { status, reason, retryAfterSeconds, scope });
  }

  #lastResort(failure: unknown, reply: FastifyReply): void {
    try {
      this.log.error(errorFields(failure), 'error response failed');
      sendError(reply.raw, 'internal');
    } catch {
      reply.raw.destroy();
    }
  }
}

/** The declared error that was thrown, or the one that the endpoint declares for the status of Nest's exception. */
function ownErrorOf(
  exception: unknown,
  policy: EndpointPolicy | undefined,
  everywhere: readonly OwnError[],
): OwnError | undefined {
  const ofEndpoint = (policy?.errors ?? []).filter((error) => typeof error !== 'string');
  if (exception instanceof DeclaredError) {
    // What is not declared is not sent: the text must be one that was checked at the start.
    return [...ofEndpoint, ...everywhere].find((error) => error === exception.declared);
  }
  if (!(exception instanceof HttpException)) return undefined;
  const status: number = exception.getStatus();
  return ofEndpoint.find((error) => error.status === status);
}

function toAppError(exception: unknown): { readonly error: AppError; readonly status?: number } {
  if (exception instanceof AppError) return { error: exception };
  if (exception instanceof HttpException) {
    const status = exception.getStatus();
    const code = codeOfStatus(status);
    if (code !== undefined) return { error: new AppError(code, { cause: exception }), status };
  }
  return { error: new AppError('internal', { cause: exception }) };
}
