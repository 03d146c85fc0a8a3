import type { ThrottlerStorage } from '@nestjs/throttler';

/** What became of a hit; `@nestjs/throttler` does not export the type by name. */
export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Rate-limit counters that several instances share: any `ThrottlerStorage` of `@nestjs/throttler` that
 * keeps a sliding log. The default is `RedisStorage` where the settings name a Redis, else the library's own
 * `ThrottlerStorageService`, which counts in this process.
 *
 * Guarantees: never more than `limit` admitted hits of a key in any `ttl` milliseconds, over all instances
 * and under parallel calls; a refused hit (`isBlocked`) is not counted; `timeToBlockExpire` of one is whole
 * seconds, at least 1, after which a hit with the same limit is admitted, and 0 otherwise.
 * Must never: know of a caller more than the key it is given.
 * When it fails or takes over 300 ms: the call is counted in the process instead, at the same limit.
 */
export abstract class RateLimitStorage implements ThrottlerStorage {
  /**
   * @param ttl length of the window in milliseconds; `blockDuration` is 0.
   * @param signal aborted when the call is given up.
   */
  abstract increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
    signal?: AbortSignal,
  ): Promise<ThrottlerRecord>;
}
