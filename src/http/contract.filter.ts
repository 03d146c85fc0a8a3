import type { ServerResponse } from 'node:http';
import {
  Catch,
  HttpException,
  Inject,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { writeChallenge } from './challenge.js';
import { ContractException } from './contract.exception.js';
import {
  codeOfStatus,
  contractCodeOfStatus,
  ERROR_CATALOGUE,
  errorMessage,
} from './error-catalogue.js';
import type { EndpointError } from './endpoint-error.js';
import { errorEnvelope, sendError } from './error-response.js';
import { rawResponse, type RequestWithContext, type RequestContext } from './request-context.js';
import { recordError } from './record-error.js';
import { RequestContextService } from './request-context.service.js';
import { removeSuccessHeaders, type ResponseWithHeaders } from './success-headers.interceptor.js';

type Response = ServerResponse<RequestWithContext>;

/**
 * Sends the error response for everything that an endpoint throws and, in the standalone
 * application, for every other error. The messages of the contract's errors are constant. The filter
 * must not throw: the framework's own error pages would expose internals.
 *
 * Subclasses contain what an endpoint declares about its errors. The filter cannot read the
 * declarations of the handler: Nest does not pass the handler to a filter, and the guards that
 * could store them do not run when a global guard rejects the request.
 */
@Catch()
export class ContractFilter implements ExceptionFilter {
  /** Errors that are sent with their own status, code and message. */
  protected readonly declaredErrors: readonly EndpointError[] = [];
  /** Whether every response has a status of the contract (section 7). */
  protected readonly hasContractStatusesOnly: boolean = false;

  // The dependencies are injected as properties, because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly adapters!: HttpAdapterHost;
  @Inject() private readonly requests!: RequestContextService;
  @Inject() private readonly logger!: ServiceLogger;

  catch(exception: unknown, host: ArgumentsHost): void {
    // Exceptions of other protocols, such as GraphQL, are left to Nest.
    if (host.getType() !== 'http') throw exception;
    const raw = rawResponse(host);
    // Once the response has been sent or the client has left, an error response is not possible.
    if (raw.headersSent || raw.writableEnded || raw.destroyed) return;
    try {
      const context = this.requests.enterRoute(host);
      const { status, code, message } =
        this.#declaredError(exception) ?? this.#contractError(exception, raw, context);
      context.errorCode = code;
      const response = host.switchToHttp().getResponse<ResponseWithHeaders>();
      removeSuccessHeaders(response, context);
      this.adapters.httpAdapter.reply(response, errorEnvelope(code, message), status);
    } catch (failure) {
      this.logger.error({ msg: 'error response failed', ...errorFields(failure) });
      sendError(raw, 'internal');
    }
  }

  /** Returns the response for an exception with a declared code and status, otherwise undefined. */
  #declaredError(exception: unknown): ErrorToSend | undefined {
    if (!(exception instanceof HttpException)) return undefined;
    const body = exception.getResponse();
    if (typeof body !== 'object') return undefined;
    const { code, message } = body as { readonly code?: unknown; readonly message?: unknown };
    const status: number = exception.getStatus();
    const isDeclared = this.declaredErrors.some(
      (error) => error.code === code && error.status === status,
    );
    if (!isDeclared || typeof code !== 'string' || typeof message !== 'string') return undefined;
    return { status, code, message };
  }

  #contractError(exception: unknown, response: Response, context: RequestContext): ErrorToSend {
    const thrown = exception instanceof ContractException ? exception.cause : exception;
    const known = thrown instanceof HttpException ? this.#knownError(thrown) : undefined;
    const isOwn = thrown instanceof AppError;
    const error = isOwn ? thrown : new AppError(known?.code ?? 'internal', { cause: thrown });
    const { code, reason } = error;
    const { status } = ERROR_CATALOGUE[code];
    recordError(context, error);
    // The guard that rejects a credential writes the challenge. For errors that were thrown
    // elsewhere, the challenge is written here.
    if (!response.hasHeader('WWW-Authenticate')) {
      if (code === 'unauthenticated') writeChallenge(response, context, 'invalid_token');
      if (code === 'insufficient_scope') {
        const scope = error.scope ?? context.requiredScope;
        writeChallenge(response, context, 'insufficient_scope', scope);
      }
    }
    const retryAfter = retryAfterHeader(error, response);
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    return { status: known?.status ?? status, code, message: errorMessage(code, reason) };
  }

  /**
   * Returns the status and the code for one of Nest's exceptions; undefined for a defect, such as
   * an exception with a success status.
   */
  #knownError(exception: HttpException): KnownError | undefined {
    const status: number = exception.getStatus();
    const { code: causeCode } = (exception.cause ?? {}) as { readonly code?: unknown };
    if (causeCode === FORBIDDEN_FILE_PATH) return { status: 404, code: 'not_found' };
    if (this.hasContractStatusesOnly) {
      const code = contractCodeOfStatus(status);
      return { status: ERROR_CATALOGUE[code].status, code };
    }
    const code = codeOfStatus(status);
    return code && { status, code };
  }
}

/** What an error response consists of. */
interface ErrorToSend {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The code for the status of one of Nest's exceptions, with the status to send. */
interface KnownError {
  readonly status: number;
  readonly code: ErrorCode;
}

/** The error code of the framework's file server when it rejects a path such as `//x` with 403. */
const FORBIDDEN_FILE_PATH = 'FST_STATIC_FORBIDDEN_PATH';

/**
 * Returns the value of the `Retry-After` header in whole seconds, at least 1, or undefined to leave
 * the header as it is. `rate_limited` always has the header, and `unavailable` has it if the wait
 * is known. A header that a guard of the host application has set is replaced only by a known wait.
 */
function retryAfterHeader(
  { code, retryAfterSeconds = NaN }: AppError,
  response: Response,
): string | undefined {
  if (code !== 'rate_limited' && code !== 'unavailable') return undefined;
  if (Number.isFinite(retryAfterSeconds)) return String(Math.max(1, Math.ceil(retryAfterSeconds)));
  return code === 'rate_limited' && !response.hasHeader('Retry-After') ? '1' : undefined;
}
