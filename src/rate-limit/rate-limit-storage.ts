import type { Deadline } from '../kernel/deadline.js';
import type { ThrottlerStorage } from '@nestjs/throttler';

/** What became of a hit, in `@nestjs/throttler`'s terms, whose package does not export the type by name. */
export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Rate-limit counters that several instances share: any `ThrottlerStorage` of `@nestjs/throttler` that
 * keeps a sliding log.
 *
 * Guarantees: never more than `limit` admitted hits of a key in any `ttl` milliseconds, over all instances
 * and under parallel calls; a refused hit (`isBlocked`) is not counted; `timeToBlockExpire` of one is whole
 * seconds, at least 1, after which a hit is admitted, and 0 otherwise.
 * Must never: know of a caller more than the key it is given.
 * When it fails or takes over 300 ms: the call is counted in the process instead, at the same limit.
 */
export abstract class RateLimitStorage implements ThrottlerStorage {
  /**
   * @param ttl length of the window in milliseconds; `blockDuration` is 0, the name always the same.
   * @param limitOfCall the call's own limit of 300 ms; its `signal` is aborted when the call is given up.
   */
  abstract increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
    limitOfCall?: Deadline,
  ): Promise<ThrottlerRecord>;
}
