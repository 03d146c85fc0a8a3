import type { OpenAPIObject } from '@nestjs/swagger';
import type { RateLimits } from '../rate-limit/rate-limits.js';
import { operationsOf } from './document-operations.js';

/**
 * Adds the limits of the rate classes to the endpoints of a document: replaces the name in
 * `x-rate-class` with an object that also has the number of requests and the window in seconds.
 */
export function addRateLimits({ paths }: OpenAPIObject, rateLimits: RateLimits): void {
  for (const operation of operationsOf(paths)) {
    const name = operation['x-rate-class'];
    if (typeof name !== 'string') continue;
    const rate = rateLimits.limitOf(name);
    const numbers = rate && { requests: rate.limit, seconds: rate.windowMs / 1000 };
    operation['x-rate-class'] = { name, ...numbers, per: 'principal' };
  }
}
