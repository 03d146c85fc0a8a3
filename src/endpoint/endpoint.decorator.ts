import {
  applyDecorators,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExceptionFilter,
  type Type,
} from '@nestjs/common';
import { CredentialGuard } from '../auth/credential.guard.js';
import { AccessRequirements, ScopeGuard } from '../auth/scope.guard.js';
import { ContractStatusesFilter } from '../http/contract-statuses.filter.js';
import { DeadlineInterceptor } from '../http/deadline.interceptor.js';
import { ContractFilter } from '../http/contract.filter.js';
import type { HandlerDecorator } from '../http/handler-declaration.js';
import { SuccessHeadersInterceptor } from '../http/success-headers.interceptor.js';
import { RateClass } from '../rate-limit/rate-class.decorator.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { Redacted } from '../redaction/redacted.decorator.js';
import { RolloutFlag } from '../rollout/rollout-flag.decorator.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { inCheckOrder } from './check-order.js';
import { documentEndpoint } from './endpoint-documentation.js';
import { declareEndpoint, type EndpointPolicy } from './endpoint-policy.js';

/**
 * Declares a handler as an endpoint for signed-in callers, in any module of an application that
 * imports `DealSetsModule`, and adds it to the API description.
 *
 * The guards run in the order of `inCheckOrder`: sign-in, rollout, scope, rate limit.
 */
export function Endpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
): HandlerDecorator<Response> {
  return bindEndpoint(policy, ContractFilter);
}

/**
 * Declares one of the two endpoints of the contract: an `@Endpoint` that sends only the statuses of
 * the contract, also when code of a host application throws an exception with another status.
 */
export function ContractEndpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
): HandlerDecorator<Response> {
  return bindEndpoint(policy, ContractStatusesFilter);
}

function bindEndpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
  filter: Type<ExceptionFilter>,
): HandlerDecorator<Response> {
  return applyDecorators(
    declarePolicy(policy),
    UseGuards(
      ...inCheckOrder<Type<CanActivate>>({
        credential: CredentialGuard,
        rollout: RolloutGuard,
        scope: ScopeGuard,
        rateLimit: RateLimitGuard,
      }),
    ),
    UseInterceptors(SuccessHeadersInterceptor, DeadlineInterceptor),
    Redacted(policy.response) as MethodDecorator,
    UseFilters(filter),
    documentEndpoint(policy),
  );
}

/** Declares each part of the policy to the guard, interceptor or filter that enforces it. */
export function declarePolicy(policy: EndpointPolicy): MethodDecorator {
  return applyDecorators(
    declareEndpoint(policy),
    RolloutFlag(policy.flag),
    AccessRequirements(policy),
    RateClass(policy.rateClass),
  );
}
