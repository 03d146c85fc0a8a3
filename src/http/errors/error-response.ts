import { HttpException } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { errorMessage } from '../../kernel/error-catalogue.js';
import type { RequestContext } from '../context/request-context.js';
import { codeOfStatus, contractCodeOfStatus } from './code-of-status.js';

/** What an error response consists of. */
export interface ErrorToSend {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /**
   * The error of the service that the response reports; undefined for an exception that is sent as
   * it is.
   */
  readonly error?: AppError;
}

/**
 * Which statuses of exceptions of other code an endpoint sends: any error status, or only those of
 * the contract (section 7).
 */
export type SentStatuses = 'any' | 'contract';

/**
 * Returns what becomes of an exception. An error of the service is sent with the status and the
 * constant message of its code. Of exceptions of Nest that other code threw, `statuses`
 * determines which statuses are sent. Anything else is a defect: 500 `internal`.
 */
export function errorToSend(
  exception: unknown,
  statuses: SentStatuses,
  { input }: Pick<RequestContext, 'input'>,
): ErrorToSend {
  if (exception instanceof AppError) return sent(exception);
  if (!(exception instanceof HttpException)) {
    return sent(new AppError('internal', { cause: exception }));
  }
  return statuses === 'contract'
    ? sent(contractError(exception, Object.keys(input.params).length > 0))
    : exceptionOfHost(exception);
}

function sent(error: AppError): ErrorToSend {
  const { code, reason } = error;
  return { error, status: error.getStatus(), code, message: errorMessage(code, reason) };
}

/**
 * Returns the error of the contract for an exception of a guard, a pipe or an interceptor of a host
 * application.
 *
 * @param hasParameters whether the path has parameters. Only the list has input that can be
 *   invalid, so on the get, 400 is a defect.
 */
function contractError(exception: HttpException, hasParameters: boolean): AppError {
  const code = contractCodeOfStatus(exception.getStatus());
  const isDefect = code === 'invalid_request' && hasParameters;
  return new AppError(isDefect ? 'internal' : code, { cause: exception });
}

/**
 * Returns the response to an exception of a host application, which keeps its status. If its body
 * has a code and a message, they are sent; otherwise the code and the constant message follow from
 * the status. An exception with a success status is a defect.
 */
function exceptionOfHost(exception: HttpException): ErrorToSend {
  const status = exception.getStatus();
  const code = codeOfStatus(status);
  const body = code && bodyOf(exception);
  if (body) return { status, ...body };
  const response = sent(new AppError(code ?? 'internal', { cause: exception }));
  return code === undefined ? response : { ...response, status };
}

/** Returns the code and the message in the body of an exception, if it has both. */
function bodyOf(exception: HttpException): Pick<ErrorToSend, 'code' | 'message'> | undefined {
  const body = exception.getResponse();
  if (typeof body !== 'object') return undefined;
  const { code, message } = body as { readonly code?: unknown; readonly message?: unknown };
  const hasBoth = typeof code === 'string' && typeof message === 'string';
  return hasBoth ? { code, message } : undefined;
}
