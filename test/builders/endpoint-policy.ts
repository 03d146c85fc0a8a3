import type { EndpointPolicy } from '../../src/http/endpoint.decorator.js';
import { shape, shown, text } from '../../src/response-shape/field.js';

const Pong = shape('Pong', 'For tests.', { pong: shown(text, 'A text.') });

/** A whole declaration of an endpoint, with what a test wants different. */
export function endpoint(over: Partial<EndpointPolicy> = {}): EndpointPolicy {
  return {
    flag: 'list',
    scope: 'offers:read',
    rateClass: 'read',
    response: Pong,
    summary: 'For tests',
    ...over,
  };
}
