import {
  applyDecorators,
  SetMetadata,
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
import { SuccessHeadersInterceptor } from '../http/success-headers.interceptor.js';
import { RequiresRedaction } from '../http/unredacted-responses.js';
import { RateClass } from '../rate-limit/rate-class.decorator.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { Redacted } from '../redaction/redacted.decorator.js';
import { RedactionInterceptor } from '../redaction/redaction.interceptor.js';
import { RolloutFlag } from '../rollout/rollout-flag.decorator.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { inCheckOrder } from './check-order.js';
import { documentEndpoint } from './endpoint-documentation.js';
import { declareEndpoint, endpointErrorsOf, type EndpointPolicy } from './endpoint-policy.js';

/**
 * A decorator of a handler that returns what its endpoint's `response` declares, or a promise of
 * it. On another handler it does not compile.
 */
export type EndpointDecorator<Response extends object> = <
  Handler extends (...parameters: never[]) => Response | Promise<Response>,
>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

/**
 * Declares a handler as an endpoint for signed-in callers, in any module of an application that
 * imports `DealSetsModule`, and adds it to the API description.
 *
 * The guards run in the order of `inCheckOrder`: sign-in, rollout, scope, rate limit.
 */
export function Endpoint<Response extends object>(
  policy: EndpointPolicy<Response>,
): EndpointDecorator<Response> {
  return applyDecorators(
    declarePolicy(policy),
    Redacted(policy.response),
    UseGuards(
      ...inCheckOrder<Type<CanActivate>>({
        credential: CredentialGuard,
        rollout: RolloutGuard,
        scope: ScopeGuard,
        rateLimit: RateLimitGuard,
      }),
    ),
    UseInterceptors(SuccessHeadersInterceptor, DeadlineInterceptor, RedactionInterceptor),
    UseFilters(ContractFilter),
    documentEndpoint(policy),
  );
}

/**
 * The metadata key with which `@nestjs/cache-manager` finds the cache key of a handler. Its
 * interceptor caches nothing for a handler whose key is undefined.
 */
const CACHE_KEY_METADATA = 'cache_module:cache_key';
const neverCached = (): undefined => undefined;

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
    RequiresRedaction(true),
    SetMetadata(CACHE_KEY_METADATA, neverCached),
  );
}
