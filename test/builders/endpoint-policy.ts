import type { EndpointPolicy } from '../../src/endpoint/endpoint-policy.js';
import { ResponseDto, Shown } from '../../src/redaction/field.decorators.js';

@ResponseDto('For tests.')
class Pong {
  @Shown('A text.')
  readonly pong!: string;
}

/** A complete declaration of an endpoint, with a test's changes. */
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
