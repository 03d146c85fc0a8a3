import { applyDecorators, HttpCode, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { AdmissionGuard } from '../auth/admission.guard.js';
import { documentEndpoint } from '../endpoint/endpoint-documentation.js';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.js';
import { declarePolicy } from '../http/policy.js';
import { EnvelopeFilter } from '../http/errors/envelope.filter.js';
import { DeadlineInterceptor } from '../http/context/deadline.interceptor.js';
import { NOT_COUNTED } from './mcp-message.dto.js';
import { McpMessageGuard } from './mcp-message.guard.js';
import { McpObservationInterceptor } from './mcp-observation.interceptor.js';
import { McpResponseInterceptor } from './mcp-response.interceptor.js';
import { ProtectedResourceGuard } from './protected-resource.guard.js';

/**
 * Declares the handler of `/mcp`. It is an endpoint like those of `@Endpoint`, with four
 * differences.
 *
 * The endpoint is an OAuth protected resource (RFC 9728): it admits only access tokens issued for
 * it, and rejects requests from pages of origins that are not allowed. Its requests are not counted
 * here: `DealSetsApi` counts the call of a tool. The form of the message is checked before the
 * pipes. The response is JSON from the protocol's library; the buyer's data in it comes from
 * `DealSetsApi`, which has already redacted it.
 */
export function McpEndpoint(policy: Omit<EndpointPolicy, 'rateClass'>): MethodDecorator {
  return applyDecorators(
    // `response` is only for the API description: the protocol's library creates the response.
    declarePolicy({ ...policy, kind: 'endpoint', response: undefined }),
    HttpCode(200),
    UseGuards(ProtectedResourceGuard, AdmissionGuard, McpMessageGuard),
    UseInterceptors(McpObservationInterceptor, McpResponseInterceptor, DeadlineInterceptor),
    UseFilters(EnvelopeFilter),
    documentEndpoint(policy, NOT_COUNTED),
  );
}
