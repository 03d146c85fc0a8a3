import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions } from '@nestjs/throttler';
import type { Settings } from '../config/settings.js';
import { contextOf, principalOf } from '../http/request-context.js';
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
 * @throws {Error} for a throttler without a unique name, or with a limit or a ttl below 1.
 */
export function rateLimits(
  { readRate }: Pick<Settings, 'readRate'>,
  own: readonly ThrottlerOptions[],
): RateLimits {
  const read = { name: 'read', limit: readRate.limit, ttl: readRate.windowSeconds * 1000 };
  const throttlers: readonly ThrottlerOptions[] = [read, ...own];
  const names = throttlers.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string' || name === '') {
      throw new Error(`throttlers: expected a name, not ${JSON.stringify(name)}`);
    }
    if (names.indexOf(name) === index) continue;
    const problem = name === read.name ? 'belongs to the two reads' : 'is given twice';
    throw new Error(`throttlers: the name ${name} ${problem}: choose another name`);
  }
  for (const { name, limit, ttl } of throttlers) {
    // A function decides for each request, so it cannot be checked at boot.
    if (
      [limit, ttl].some((value: unknown) => typeof value !== 'function' && !(Number(value) >= 1))
    ) {
      throw new Error(`throttlers: ${name}: expected a limit and a ttl of at least 1`);
    }
  }
  return {
    throttlers: throttlers.map((throttler) => ({
      ...throttler,
      // With 0, the throttler keeps a sliding log, in which a rejected request does not count.
      blockDuration: 0,
      skipIf: (context: ExecutionContext) => contextOf(context).policy.rateClass !== throttler.name,
    })),
    getTracker: (_request, context) => trackerOf(principalOf(context)),
    generateKey: (_context, tracker, name) => keyOf(name, tracker),
    // `RateLimitGuard` intercepts these headers and sends its own headers instead.
    setHeaders: true,
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
