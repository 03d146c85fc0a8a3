import {
  applyDecorators,
  HttpCode,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type ExceptionFilter,
  type Type,
} from '@nestjs/common';
import { AdmissionGuard } from '../auth/admission.guard.js';
import { DeadlineInterceptor } from '../http/context/deadline.interceptor.js';
import { SuccessHeadersInterceptor } from '../http/context/success-headers.interceptor.js';
import { ContractFilter, EnvelopeFilter } from '../http/errors/envelope.filter.js';
import type { HandlerDecorator } from '../http/handler-decorator.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { RedactionInterceptor } from '../redaction/redaction.interceptor.js';
import { assertResultIsSent } from '../redaction/net/sent-result.js';
import { documentEndpoint } from './endpoint-documentation.js';
import { declareEndpoint, type EndpointPolicy } from './endpoint-policy.js';

/**
 * Declares a handler as an endpoint for signed-in callers, in any module of an application that
 * imports `DealSetsModule`, and adds it to the API description.
 *
 * @throws {Error} for a handler that takes `@Res()` without `passthrough`.
 */
export function Endpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
): HandlerDecorator<Response> {
  return bindEndpoint(policy, EnvelopeFilter);
}

/**
 * Declares one of the two endpoints of the contract: an `@Endpoint` that sends only the statuses of
 * the contract, also when code of a host application throws an exception with another status.
 */
export function ContractEndpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
): HandlerDecorator<Response> {
  return bindEndpoint(policy, ContractFilter);
}

function bindEndpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
  filter: Type<ExceptionFilter>,
): HandlerDecorator<Response> {
  return applyDecorators(
    assertResultIsSent,
    declareEndpoint(policy),
    HttpCode(policy.status ?? 200),
    // Only calls that pass all other checks are counted.
    UseGuards(AdmissionGuard, RateLimitGuard),
    // The outermost comes first: the result is redacted, within the deadline, and then gets its
    // headers.
    UseInterceptors(SuccessHeadersInterceptor, DeadlineInterceptor, RedactionInterceptor),
    UseFilters(filter),
    documentEndpoint(policy),
  );
}
