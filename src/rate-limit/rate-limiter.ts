import { Inject, Injectable, type ExecutionContext, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions } from '@nestjs/throttler';
import type { Settings } from '../config/settings.js';
import { policyOf } from '../endpoint/endpoint-policy.js';
import { EndpointRegistry } from '../endpoint/endpoint-registry.js';
import { principalOf } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { RateCounters } from './rate-limit-storage.js';

/** The token of the throttlers of all rate classes, in `@nestjs/throttler`'s form. */
export const RATE_LIMITS = Symbol('rate limits');

type RateLimits = Extract<ThrottlerModuleOptions, { throttlers: unknown }>;

/**
 * The throttlers of the service: `read` of the settings (contract, section 8), and a team's own, each for the
 * endpoints of its class alone.
 *
 * @param own throttlers whose `name` is the rate class that endpoints declare.
 * @throws {Error} for a throttler without a name of its own.
 */
export function rateLimits(
  { readRate }: Pick<Settings, 'readRate'>,
  own: readonly ThrottlerOptions[],
): RateLimits {
  const read = { name: 'read', limit: readRate.limit, ttl: readRate.windowSeconds * 1000 };
  const throttlers: readonly ThrottlerOptions[] = [read, ...own];
  const names = throttlers.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (name === undefined || names.indexOf(name) !== index) {
      throw new Error(`throttlers: expected a name of its own, not ${name}`);
    }
  }
  return {
    throttlers: throttlers.map((throttler) => ({
      ...throttler,
      // A sliding log, in which a refused request does not count.
      blockDuration: 0,
      skipIf: (context: ExecutionContext) => policyOf(context).rateClass !== throttler.name,
    })),
    getTracker: (_request, context) => trackerOf(principalOf(context)),
    generateKey: (_context, tracker, name) => keyOf(name, tracker),
    // The exception filter writes `Retry-After`; no other header is part of the contract.
    setHeaders: false,
  };
}

/** Ids alone, never anything that the caller can vary from request to request to escape the limit. */
function trackerOf(principal: Principal): string {
  return matchPrincipal(principal, {
    session: ({ buyerId }) => `session ${buyerId}`,
    assistant: ({ buyerId, clientId }) => `assistant ${buyerId} ${clientId}`,
  });
}

function keyOf(rateClass: string, tracker: string): string {
  return `${rateClass} ${tracker}`;
}

/** The rate limit for calls that come by no route of the service, in the same counts as the guard. */
@Injectable()
export class RateLimiter implements OnModuleInit {
  constructor(
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
    private readonly counters: RateCounters,
    private readonly registry: EndpointRegistry,
  ) {}

  /** @throws {Error} naming each endpoint whose rate class is not declared. */
  onModuleInit(): void {
    const names = this.limits.throttlers.map(({ name }) => name);
    const problems = this.registry.endpoints
      .filter(({ declared: { rateClass } }) => !names.includes(rateClass))
      .map(({ name, declared }) => `${name}: rate class ${declared.rateClass} is not declared`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  /** Limit and window of a class as numbers, for the API description; undefined where they depend on the request. */
  describe(rateClass: string): { readonly limit: number; readonly windowMs: number } | undefined {
    const found = this.limits.throttlers.find(({ name }) => name === rateClass);
    const { limit, ttl: windowMs } = found ?? {};
    if (typeof limit === 'number' && typeof windowMs === 'number') return { limit, windowMs };
    return undefined;
  }

  /**
   * @param rateClass one whose limit does not depend on a request.
   * @throws {AppError} `rate_limited`.
   */
  async count(rateClass: string, principal: Principal): Promise<void> {
    const found = this.describe(rateClass);
    if (!found) throw new Error(`rate class ${rateClass}: declare a limit that is a number`);
    const key = keyOf(rateClass, trackerOf(principal));
    const hit = this.counters.increment(key, found.windowMs, found.limit, 0, rateClass);
    const { isBlocked, timeToBlockExpire } = await hit;
    if (isBlocked) throw new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire });
  }
}
