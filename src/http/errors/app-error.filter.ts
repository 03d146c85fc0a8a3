import { Catch, Inject, Optional, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { AppError } from '../../kernel/app-error.js';
import { errorEnvelope, errorMessage } from '../../kernel/error-catalogue.js';
import { errorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import { writeChallenge } from './challenge.js';
import { sendError } from './send-error.js';
import { jsonRpcError } from './json-rpc-error.js';
import { rawResponse, type RequestContext } from '../context/request-context.js';
import { RequestContextService } from '../context/request-context.service.js';
import {
  removeSuccessHeaders,
  type ResponseWithHeaders,
} from '../context/success-headers.interceptor.js';

/**
 * Sends the errors of the service, with the challenge (contract, section 5) and `Retry-After`, and
 * leaves every other exception to the next filter. `@RequireScope` binds it. The messages are
 * constant.
 */
@Catch(AppError)
export class AppErrorFilter implements ExceptionFilter {
  // The dependencies are injected as properties, because subclasses add none. Those of the service
  // are optional, so that a unit test can create a controller without `DealSetsModule`: Nest has no
  // `overrideFilter`.
  @Inject() private readonly adapters!: HttpAdapterHost;
  @Optional() @Inject() private readonly requests?: RequestContextService;
  @Optional() @Inject() private readonly logger?: ServiceLogger;

  catch(exception: unknown, host: ArgumentsHost): void {
    // Exceptions of other protocols, such as GraphQL, are left to Nest.
    if (host.getType() !== 'http') throw exception;
    if (!this.requests) {
      new BaseExceptionFilter(this.adapters.httpAdapter).catch(exception, host);
      return;
    }
    const raw = rawResponse(host);
    // Once the response has been sent or the client has left, an error response is not possible.
    if (raw.headersSent || raw.writableEnded || raw.destroyed) return;
    // This method must not throw: the framework's own error pages would expose internals.
    try {
      const context = this.requests.enterRoute(host);
      const error = this.errorToSend(exception, context);
      const { status, code, message } = error;
      context.notes.errorCode = code;
      const http = host.switchToHttp();
      const response = http.getResponse<ResponseWithHeaders>();
      removeSuccessHeaders(response, context);
      const body = jsonRpcError(context.route, http.getRequest<object>(), error);
      this.adapters.httpAdapter.reply(response, body ?? errorEnvelope(code, message), status);
    } catch (failure) {
      this.logger?.error({ msg: 'error response failed', ...errorFields(failure) });
      sendError(raw, 'internal');
    }
  }

  /**
   * Returns what the response to an exception consists of, after noting the error for the log line
   * and setting the headers of the error.
   */
  protected errorToSend(exception: unknown, context: RequestContext): ErrorToSend {
    return errorOfService(exception as AppError, context);
  }
}

/** What an error response consists of. */
export interface ErrorToSend {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Notes an error of the service for the log line, sets its headers, and returns its response. */
export function errorOfService(error: AppError, context: RequestContext): ErrorToSend {
  const { code, reason } = error;
  context.notes.noteError(error);
  if (code === 'unauthenticated') writeChallenge(context, 'invalid_token');
  if (code === 'insufficient_scope') {
    const scope = error.scope ?? context.policy.scope;
    writeChallenge(context, 'insufficient_scope', scope);
  }
  const retryAfter = retryAfterHeader(error, context);
  if (retryAfter !== undefined) context.response.setHeader('Retry-After', retryAfter);
  return { status: error.getStatus(), code, message: errorMessage(code, reason) };
}

/**
 * Returns the value of the `Retry-After` header in whole seconds, at least 1, or undefined to leave
 * the header as it is. `rate_limited` always has the header, and `unavailable` has it if the wait
 * is known. A header that a guard of the host application has set is replaced only by a known wait.
 */
function retryAfterHeader(
  { code, retryAfterSeconds = NaN }: AppError,
  { response }: RequestContext,
): string | undefined {
  if (code !== 'rate_limited' && code !== 'unavailable') return undefined;
  if (Number.isFinite(retryAfterSeconds)) return String(Math.max(1, Math.ceil(retryAfterSeconds)));
  return code === 'rate_limited' && !response.hasHeader('Retry-After') ? '1' : undefined;
}
