import { applyDecorators, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { CredentialGuard, ScopeGuard } from '../auth/credential.guard.js';
import { ReadRateGuard } from '../rate-limit/read-rate.guard.js';
import { RedactionInterceptor } from '../redaction/redaction.interceptor.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { ContractFilter } from './contract.filter.js';
import { documentEndpoint } from './endpoint-documentation.js';
import { declareEndpoint, type EndpointPolicy } from './endpoint-policy.js';
import { ProtectedResourceGuard } from './protected-resource.guard.js';

/**
 * Declares a handler as an endpoint for signed-in callers, in any module of an application that imports
 * `DealSetsModule`. The order of the checks: sign-in, rollout, scope, rate limit. Nothing but identification
 * comes before rollout: an endpoint that is off does not exist.
 */
export function Endpoint(policy: EndpointPolicy): MethodDecorator {
  return applyDecorators(
    declareEndpoint(policy),
    UseGuards(
      ...(policy.protocol ? [ProtectedResourceGuard] : []),
      CredentialGuard,
      RolloutGuard,
      ScopeGuard,
      ReadRateGuard,
    ),
    UseInterceptors(RedactionInterceptor),
    UseFilters(ContractFilter),
    documentEndpoint(policy),
  );
}
