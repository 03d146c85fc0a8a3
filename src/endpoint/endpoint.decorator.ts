import {
  applyDecorators,
  HttpCode,
  HttpStatus,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExceptionFilter,
  type Type,
} from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { CredentialGuard } from '../auth/credential.guard.js';
import { AccessRequirements, ScopeGuard } from '../auth/scope.guard.js';
import { ContractStatusesFilter } from '../http/contract-statuses.filter.js';
import { DeadlineInterceptor } from '../http/deadline.interceptor.js';
import { Deprecated, DeprecationInterceptor } from '../http/deprecation.interceptor.js';
import { ContractFilter } from '../http/contract.filter.js';
import type { HandlerDecorator } from '../http/handler-declaration.js';
import { NoBodyInterceptor } from '../http/no-body.interceptor.js';
import { OpenedFileInterceptor } from '../http/opened-file.interceptor.js';
import { declareContent } from '../http/response-content.js';
import { SuccessHeadersInterceptor } from '../http/success-headers.interceptor.js';
import { RateClass } from '../rate-limit/rate-class.decorator.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { Redacted } from '../redaction/redacted.decorator.js';
import { RolloutFlag } from '../rollout/rollout-flag.decorator.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { inCheckOrder } from './check-order.js';
import { documentEndpoint } from './endpoint-documentation.js';
import {
  declareEndpoint,
  type EndpointPolicy,
  type HandlerResult,
  type ResponseDeclaration,
} from './endpoint-policy.js';

/**
 * Declares a handler as an endpoint for signed-in callers, in any module of an application that
 * imports `DealSetsModule`, and adds it to the API description.
 *
 * The guards run in the order of `inCheckOrder`: sign-in, rollout, scope, rate limit.
 */
export function Endpoint<Response extends ResponseDeclaration>(
  policy: EndpointPolicy<Response>,
): HandlerDecorator<HandlerResult<Response>> {
  return bindEndpoint(policy, ContractFilter);
}

/**
 * Declares one of the two endpoints of the contract: an `@Endpoint` that sends only the statuses of
 * the contract, also when code of a host application throws an exception with another status.
 */
export function ContractEndpoint<Response extends ResponseDeclaration>(
  policy: EndpointPolicy<Response>,
): HandlerDecorator<HandlerResult<Response>> {
  return bindEndpoint(policy, ContractStatusesFilter);
}

function bindEndpoint<Response extends ResponseDeclaration>(
  policy: EndpointPolicy<Response>,
  filter: Type<ExceptionFilter>,
): HandlerDecorator<HandlerResult<Response>> {
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
    respondWith(policy.response),
    UseFilters(filter),
    documentEndpoint(policy),
  );
}

/** Declares the content of the response, and binds the interceptors that this content requires. */
function respondWith(response: ResponseDeclaration): MethodDecorator {
  switch (response) {
    case 'none':
      return applyDecorators(
        declareContent('none'),
        defaultToNoContent,
        UseInterceptors(NoBodyInterceptor),
      );
    case 'binary':
      return applyDecorators(declareContent('binary'), UseInterceptors(OpenedFileInterceptor));
    default:
      return Redacted(response) as MethodDecorator;
  }
}

/**
 * Sets the status 204 unless an `@HttpCode` below this decorator has set a status. An `@HttpCode`
 * above replaces it.
 */
const defaultToNoContent: MethodDecorator = (target, name, descriptor) => {
  if (Reflect.hasMetadata(HTTP_CODE_METADATA, descriptor.value as object)) return;
  HttpCode(HttpStatus.NO_CONTENT)(target, name, descriptor);
};

/** Declares each part of the policy to the guard, interceptor or filter that enforces it. */
export function declarePolicy(policy: EndpointPolicy): MethodDecorator {
  const { deprecated, sunset } = policy;
  const isDeprecated = deprecated !== undefined || sunset !== undefined;
  return applyDecorators(
    ...(isDeprecated ? [Deprecated(policy), UseInterceptors(DeprecationInterceptor)] : []),
    declareEndpoint(policy),
    RolloutFlag(policy.flag),
    AccessRequirements(policy),
    RateClass(policy.rateClass),
  );
}
