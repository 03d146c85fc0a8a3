import type { AppError } from '../kernel/app-error.js';
import { ERROR_CATALOGUE } from '../kernel/error-catalogue.js';
import { errorFields } from '../observability/error-fields.js';
import type { RequestContext } from './request-context.js';

/** Notes an error of the contract for the log line and the metrics of its request. */
export function recordError(context: RequestContext, error: AppError): void {
  const { code, rejectionReason = 'other' } = error;
  context.errorCode = code;
  if (code === 'unauthenticated') context.rejectionReason = rejectionReason;
  if (ERROR_CATALOGUE[code].status >= 500) context.failure = errorFields(error.cause ?? error);
}
