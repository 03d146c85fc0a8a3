import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions } from '@nestjs/throttler';
import { endpointPolicy } from '../http/endpoint-policy.js';
import type { Settings } from '../config/settings.js';

/** The token of the throttlers of all rate classes, in `@nestjs/throttler`'s form. */
export const RATE_LIMITS = Symbol('rate limits');
/** The token of the counters: the shared ones with those of this process in reserve. */
export const RATE_COUNTERS = Symbol('rate counters');

/** The class of the contract (section 8). */
export const READ_CLASS = 'read';
/** The library's name of a throttler without one; `@Throttle({ default: … })` changes it for a route. */
export const DEFAULT_THROTTLER = 'default';

/** What the guard reads of the throttlers. */
export type RateLimits = Extract<ThrottlerModuleOptions, { throttlers: unknown }>;

/**
 * The throttlers of the service: `read` of the settings, and a team's own, each for the endpoints of its class alone.
 *
 * @param own throttlers whose `name` is the rate class that endpoints declare.
 * @throws {Error} for a throttler without a name of its own.
 */
export function rateLimits(
  { readRate }: Pick<Settings, 'readRate'>,
  own: readonly ThrottlerOptions[],
): RateLimits {
  const names = own.map(({ name = DEFAULT_THROTTLER }) => name);
  for (const [index, name] of names.entries()) {
    if ([READ_CLASS, DEFAULT_THROTTLER].includes(name) || names.indexOf(name) !== index) {
      throw new Error(`throttlers: expected a name of its own, not ${name}`);
    }
  }
  const read = { limit: readRate.limit, ttl: readRate.windowSeconds * 1000 };
  return {
    throttlers: [
      { ...read, ...forClass(READ_CLASS) },
      ...own.map((throttler) => ({ ...throttler, ...forClass(throttler.name ?? '') })),
    ],
    // The exception filter writes `Retry-After`; no other header is part of the contract.
    setHeaders: false,
  };
}

/** `blockDuration` 0: a sliding log, in which a refused request does not count. */
function forClass(rateClass: string): Pick<ThrottlerOptions, 'blockDuration' | 'skipIf'> {
  return {
    blockDuration: 0,
    skipIf: (context: ExecutionContext) => endpointPolicy(context)?.rateClass !== rateClass,
  };
}
