import type { ServerResponse } from 'node:http';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppError } from '../kernel/app-error.js';
import { errorFields } from '../observability/error-fields.js';
import { Log } from '../observability/logger.js';
import { CODE_OF_STATUS, ERROR_CATALOGUE, envelopeOf, messageOf } from './contract.js';
import { errorHeaders, sendError } from './error-response.js';
import { rawResponse, type HeldRequest, type RequestContext } from './request-context.js';
import { Requests } from './requests.js';

/**
 * Sends the one error response for anything that a guard, a pipe or a handler of an endpoint throws, and in the
 * standalone application for everything else. Of the thrown error only code, status and known cause reach the
 * response. It must not throw on any input: the framework's own error pages would expose internals.
 */
@Catch()
export class ContractFilter implements ExceptionFilter {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly requests: Requests,
    private readonly log: Log,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const raw = rawResponse(host);
    // A failure after the response is out, or after the client left, changes nothing any more.
    if (raw.headersSent || raw.writableEnded || raw.destroyed) return;
    try {
      const context = this.requests.begin(raw);
      const { status, code, message } =
        ownError(exception, context) ?? contractError(exception, raw, context);
      context.errorCode = code;
      const response = host.switchToHttp().getResponse<object>();
      this.adapters.httpAdapter.reply(response, envelopeOf(code, message), status);
    } catch (failure) {
      this.log.error(errorFields(failure), 'error response failed');
      sendError(raw, 'internal');
    }
  }
}

/** What is sent for an error. */
interface Sent {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

function contractError(
  exception: unknown,
  response: ServerResponse<HeldRequest>,
  context: RequestContext,
): Sent {
  const given = exception instanceof HttpException ? exception.getStatus() : 0;
  const ofStatus = CODE_OF_STATUS.get(given);
  const error =
    exception instanceof AppError
      ? exception
      : new AppError(ofStatus ?? 'internal', { cause: exception });
  const { code, reason } = error;
  const { status } = ERROR_CATALOGUE[code];
  if (code === 'unauthenticated') context.refusal = error.refusal ?? 'other';
  if (status >= 500) context.failure = errorFields(error.cause ?? error);
  for (const [name, value] of Object.entries(errorHeaders(response, code, error))) {
    response.setHeader(name, value);
  }
  return { status: ofStatus ? given : status, code, message: messageOf(code, reason) };
}

/** An error of a team, when the endpoint lists its code with its status. */
function ownError(exception: unknown, { policy }: RequestContext): Sent | undefined {
  if (!(exception instanceof HttpException)) return undefined;
  const given = exception.getResponse();
  if (typeof given !== 'object') return undefined;
  const { code, message } = given as { readonly code?: unknown; readonly message?: unknown };
  const status: number = exception.getStatus();
  const listed = policy?.errors?.find(
    (error) => typeof error !== 'string' && error.code === code && error.status === status,
  );
  if (!listed || typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { status, code, message };
}
