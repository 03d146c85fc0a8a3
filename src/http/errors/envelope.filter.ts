import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppError } from '../../kernel/app-error.js';
import { errorEnvelope } from '../../kernel/error-catalogue.js';
import { errorFields } from '../../observability/error-fields.js';
import { ServiceLogger } from '../../observability/service-logger.js';
import { rawResponse, type RequestContext } from '../context/request-context.js';
import { RequestContextService } from '../context/request-context.service.js';
import {
  removeSuccessHeaders,
  type ResponseWithHeaders,
} from '../context/success-headers.interceptor.js';
import { challengeOf } from './challenge.js';
import { ErrorBodies } from './error-bodies.js';
import { errorToSend, type ErrorToSend, type SentStatuses } from './error-response.js';
import { rejectedPropertiesOf } from './rejected-properties.js';
import { sendError } from './send-error.js';

/**
 * The exception filter of the service: sends the error response for everything that an endpoint
 * throws and, in the standalone application, for every other error. `errorToSend` decides what
 * becomes of an exception; this class notes it for the log line and sends it, with the challenge
 * (contract, section 5) and `Retry-After`.
 */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  /**
   * Which statuses of exceptions of other code are sent.
   *
   * @internal
   */
  protected readonly statuses: SentStatuses = 'any';

  /** @internal */
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly requests: RequestContextService,
    private readonly bodies: ErrorBodies,
    private readonly logger: ServiceLogger,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    // Exceptions of other protocols, such as GraphQL, are left to Nest.
    if (host.getType() !== 'http') throw exception;
    const raw = rawResponse(host);
    // Once the response has been sent or the client has left, an error response is not possible.
    if (raw.headersSent || raw.writableEnded || raw.destroyed) return;
    // This method must not throw: the framework's own error pages would expose internals.
    try {
      const context = this.requests.ofCall(host);
      const sent = errorToSend(exception, this.statuses, context);
      note(exception, sent, context);
      const http = host.switchToHttp();
      const response = http.getResponse<ResponseWithHeaders>();
      removeSuccessHeaders(response, context);
      if (sent.error) writeErrorHeaders(sent.error, context);
      const { status, code, message } = sent;
      const body = this.bodies.bodyOf(context.route, sent, http.getRequest<object>());
      this.adapters.httpAdapter.reply(response, body ?? errorEnvelope(code, message), status);
    } catch (failure) {
      this.logger.error({ msg: 'error response failed', ...errorFields(failure) });
      sendError(raw, 'internal');
    }
  }
}

/**
 * The filter of the contract's endpoints, which send only the errors of the contract (section 7),
 * whatever exceptions the guards, pipes and interceptors of a host application throw. It is a
 * class of its own because a filter cannot read the policy: it also gets what a global guard throws,
 * before a guard of the handler has stored the policy, and Nest does not pass the handler to it.
 */
@Catch()
export class ContractFilter extends EnvelopeFilter {
  /** @internal */
  protected override readonly statuses = 'contract';
}

/**
 * The filter of `@RequireScope`. It leaves every exception but those of the service to the filters
 * of the host application.
 */
@Catch(AppError)
export class AppErrorFilter extends EnvelopeFilter {}

/** Notes an error for the log line of its request. */
function note(
  exception: unknown,
  { status, code, error }: ErrorToSend,
  { notes, policy }: RequestContext,
): void {
  if (error) notes.noteError(error);
  else if (status >= 500) notes.failure = errorFields(exception);
  // A host application's exception can have another code than the error that it is sent as.
  notes.errorCode = code;
  if (code === 'invalid_request' && exception instanceof HttpException) {
    notes.rejectedProperties = rejectedPropertiesOf(exception, policy.body);
  }
}

/** Writes the challenge and `Retry-After`. */
function writeErrorHeaders(error: AppError, context: RequestContext): void {
  const { response } = context;
  const challenge = challengeOf(error, context);
  if (challenge !== undefined) response.setHeader('WWW-Authenticate', challenge);
  const retryAfter = retryAfterHeader(error, context);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
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
