import { applyDecorators, HttpCode, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { CredentialGuard } from '../auth/credential.guard.js';
import { EndpointScopeGuard } from '../auth/scope.guard.js';
import { documentEndpoint } from '../endpoint/endpoint-documentation.js';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.js';
import { declarePolicy } from '../http/policy.js';
import { EnvelopeFilter } from '../http/errors/envelope.filter.js';
import { DeadlineInterceptor } from '../http/context/deadline.interceptor.js';
import { RolloutGuard } from '../rollout/rollout.guard.js';
import { McpMessageGuard } from './mcp-message.guard.js';
import { McpObservationInterceptor } from './mcp-observation.interceptor.js';
import { McpRateLimitGuard } from './mcp-rate-limit.guard.js';
import { McpResponseInterceptor } from './mcp-response.interceptor.js';
import { McpTraceInterceptor } from './mcp-trace.interceptor.js';
import { ProtectedResourceGuard } from './protected-resource.guard.js';

/**
 * Declares the handler of `/mcp`. It uses the guards and the filter of `@Endpoint`, with four
 * differences.
 *
 * The endpoint is an OAuth protected resource (RFC 9728): it admits only access tokens issued for
 * it, and rejects requests from pages of origins that are not allowed. A tool call over the rate
 * limit reaches the handler, which reports it in the protocol's form. The form of the message is
 * checked before the pipes. The response is JSON from the protocol's library; the buyer's data in
 * it comes from `DealSetsApi`, which has already redacted it.
 */
export function McpEndpoint(policy: EndpointPolicy): MethodDecorator {
  return applyDecorators(
    // `response` is only for the API description: the protocol's library creates the response.
    declarePolicy({ ...policy, kind: 'endpoint', response: undefined }),
    HttpCode(200),
    // The middle four run in the order of `EndpointGuard`.
    UseGuards(
      ProtectedResourceGuard,
      CredentialGuard,
      RolloutGuard,
      EndpointScopeGuard,
      McpRateLimitGuard,
      McpMessageGuard,
    ),
    UseInterceptors(
      McpTraceInterceptor,
      McpObservationInterceptor,
      McpResponseInterceptor,
      DeadlineInterceptor,
    ),
    UseFilters(EnvelopeFilter),
    documentEndpoint(policy),
  );
}
