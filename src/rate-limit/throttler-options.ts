import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions } from '@nestjs/throttler';
import type { Settings } from '../config/settings.js';
import { contextOf, principalOf } from '../http/context/request-context.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';

/**
 * The injection token of the throttlers of all rate classes, in the form of `@nestjs/throttler`.
 */
export const RATE_LIMITS = Symbol('rate limits');

/** The injection token of a host application's throttlers. */
export const HOST_THROTTLERS = Symbol('host throttlers');

/** The throttlers of all rate classes, as `@nestjs/throttler` takes them. */
export type RateLimits = Extract<ThrottlerModuleOptions, { throttlers: unknown }>;

/**
 * Combines the throttler `read` of the settings (contract, section 8) with those of a host
 * application. Each applies only to the endpoints of its class.
 *
 * @param own throttlers whose `name` is the rate class that endpoints declare.
 * @throws {Error} for a repeated name, because the requests of the class would be counted twice.
 */
export function combineRateLimits(
  { readRate }: Pick<Settings, 'readRate'>,
  own: readonly ThrottlerOptions[],
): RateLimits {
  const read = { name: 'read', limit: readRate.limit, ttl: readRate.windowSeconds * 1000 };
  const throttlers = [read, ...own].map((throttler) => ({
    ...throttler,
    // The library's own default.
    name: throttler.name ?? 'default',
  }));
  const names = throttlers.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    const problem = repeated === read.name ? 'belongs to the two reads' : 'is given twice';
    throw new Error(`throttlers: the name ${repeated} ${problem}: choose another name`);
  }
  return {
    throttlers: throttlers.map((throttler) => ({
      ...throttler,
      skipIf: (context: ExecutionContext) => contextOf(context).policy.rateClass !== throttler.name,
    })),
    getTracker: (_request, context) => trackerOf(principalOf(context)),
    generateKey: (_context, tracker, name) => keyOf(name, tracker),
  };
}

/**
 * Returns the part of a counter's key that identifies the principal. It consists of ids only,
 * because with anything that a caller can vary, the caller could bypass the limit.
 */
export function trackerOf(principal: Principal): string {
  return matchPrincipal(principal, {
    session: ({ buyerId }) => `session ${buyerId}`,
    assistant: ({ buyerId, clientId }) => `assistant ${buyerId} ${clientId}`,
  });
}

/** Returns the key of a principal's counter in a rate class. */
export function keyOf(rateClass: string, tracker: string): string {
  return `${rateClass} ${tracker}`;
}
