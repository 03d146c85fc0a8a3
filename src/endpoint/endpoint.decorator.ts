import {
  applyDecorators,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import { CredentialGuard } from '../auth/credential.guard.js';
import { AdmitPrincipals, RequireScope } from '../auth/require-scope.decorator.js';
import { ScopeGuard } from '../auth/scope.guard.js';
import { ContractFilter } from '../http/contract.filter.js';
import { DeadlineInterceptor } from '../http/deadline.interceptor.js';
import { Deprecated, DeprecationInterceptor } from '../http/deprecation.interceptor.js';
import { EndpointErrors } from '../http/endpoint-error.js';
import type { HandlerDecorator } from '../http/handler-declaration.js';
import { SuccessHeadersInterceptor } from '../http/success-headers.interceptor.js';
import { RateClass } from '../rate-limit/rate-class.decorator.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { Redacted } from '../redaction/redacted.decorator.js';
import { RolloutFlag } from '../rollout/rollout-flag.decorator.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { inCheckOrder } from './check-order.js';
import { documentEndpoint } from './endpoint-documentation.js';
import { declareEndpoint, endpointErrorsOf, type EndpointPolicy } from './endpoint-policy.js';

/**
 * Declares a handler as an endpoint for signed-in callers, in any module of an application that
 * imports `DealSetsModule`, and adds it to the API description.
 *
 * The guards run in the order of `inCheckOrder`: sign-in, rollout, scope, rate limit.
 */
export function Endpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
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
    UseFilters(ContractFilter),
    documentEndpoint(policy),
  );
}

/** Declares each part of the policy to the guard, interceptor or filter that enforces it. */
export function declarePolicy(policy: EndpointPolicy): MethodDecorator {
  const { deprecated, sunset } = policy;
  const isDeprecated = deprecated !== undefined || sunset !== undefined;
  return applyDecorators(
    ...(isDeprecated ? [Deprecated(policy), UseInterceptors(DeprecationInterceptor)] : []),
    declareEndpoint(policy),
    EndpointErrors(endpointErrorsOf(policy)),
    RolloutFlag(policy.flag),
    RequireScope(policy.scope),
    ...(policy.principals ? [AdmitPrincipals(policy.principals)] : []),
    RateClass(policy.rateClass),
  );
}
