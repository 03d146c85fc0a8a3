import type { ThrottlerStorage } from '@nestjs/throttler';

/** The result of a hit. `@nestjs/throttler` does not export this type by name. */
export type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * Rate-limit counters that several instances share: any `ThrottlerStorage` of `@nestjs/throttler`
 * that keeps a sliding log. The default is `RedisStorage` if the settings name a Redis server,
 * otherwise `InProcessStorage`.
 *
 * Guarantees: at most `limit` hits of a key are admitted in any `ttl` milliseconds, across all
 * instances and parallel calls. A rejected hit (`isBlocked`) is not counted. Its
 * `timeToBlockExpire` is the number of whole seconds, at least 1, after which a hit with the same
 * limit is admitted; for an admitted hit it is 0.
 * Must never: obtain or store anything about a caller except the key.
 * When it fails or takes more than 300 ms: the request is counted in this process instead, with the
 * same limit.
 */
export abstract class RateLimitStorage implements ThrottlerStorage {
  /**
   * @param ttl length of the window in milliseconds, always the same for a key.
   * @param blockDuration always 0.
   * @param signal aborted when the call is abandoned.
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
