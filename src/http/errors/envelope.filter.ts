import { Catch, HttpException } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { AppErrorFilter, errorOfService, type ErrorToSend } from './app-error.filter.js';
import { codeOfStatus } from './foreign-status.js';
import { rejectedPropertiesOf } from './rejected-properties.js';
import type { RequestContext } from '../context/request-context.js';

/**
 * Sends the error response for everything that an endpoint throws and, in the standalone
 * application, for every other error.
 *
 * An exception of Nest keeps its status. If its body has a code and a message, they are sent;
 * otherwise the code and the constant message follow from the status. Anything else is a defect:
 * 500 `internal`.
 */
@Catch()
export class EnvelopeFilter extends AppErrorFilter {
  protected override errorToSend(exception: unknown, context: RequestContext): ErrorToSend {
    if (exception instanceof AppError) return errorOfService(exception, context);
    if (!(exception instanceof HttpException)) {
      const defect = new AppError('internal', { cause: exception });
      return errorOfService(defect, context);
    }
    return this.foreignError(exception, context);
  }

  /** Returns the response to an exception of Nest that code outside the service has thrown. */
  protected foreignError(exception: HttpException, context: RequestContext): ErrorToSend {
    const status = exception.getStatus();
    const code = codeOfStatus(status);
    const body = code && bodyOf(exception);
    if (body) return { status, ...body };
    if (code === 'invalid_request') {
      context.notes.rejectedProperties = rejectedPropertiesOf(exception, context.policy.body);
    }
    const error = new AppError(code ?? 'internal', { cause: exception });
    const sent = errorOfService(error, context);
    // An exception with a success status is a defect.
    return code === undefined ? sent : { ...sent, status };
  }
}

/** Returns the code and the message in the body of an exception, if it has both. */
function bodyOf(exception: HttpException): Pick<ErrorToSend, 'code' | 'message'> | undefined {
  const body = exception.getResponse();
  if (typeof body !== 'object') return undefined;
  const { code, message } = body as { readonly code?: unknown; readonly message?: unknown };
  const hasBoth = typeof code === 'string' && typeof message === 'string';
  return hasBoth ? { code, message } : undefined;
}
