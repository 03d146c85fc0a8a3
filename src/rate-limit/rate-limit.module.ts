import { Module, type DynamicModule } from '@nestjs/common';
import {
  getOptionsToken,
  getStorageToken,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { Settings } from '../config/settings.js';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { FallbackStorage } from './fallback-storage.js';
import { ReadRateGuard } from './read-rate.guard.js';
import { RedisStorage } from './redis-storage.js';
import { SlidingLogStorage } from './sliding-log-storage.js';

/** Counters that several instances share; undefined when there are none. */
const SHARED_STORAGE = Symbol('shared rate-limit counters');

/**
 * The rate limit. A team may bring counters of its own as a `ThrottlerStorage` of `@nestjs/throttler`.
 *
 * They guarantee: never more than `limit` admitted hits of a key in any `ttl` milliseconds, over all
 * instances that share them; a refused hit is not counted; `timeToBlockExpire` is whole seconds, at least
 * 1, after which a hit is admitted.
 * When they fail or take over 300 ms: the call is counted in this process instead.
 */
@Module({})
export class RateLimitModule {
  static register(sharedStorage?: Seam<ThrottlerStorage>): DynamicModule {
    return {
      module: RateLimitModule,
      providers: [
        seamProvider<ThrottlerStorage | undefined>(SHARED_STORAGE, sharedStorage, {
          useFactory: (settings: Settings) =>
            settings.redisUrl === undefined ? undefined : new RedisStorage(settings.redisUrl),
          inject: [Settings],
        }),
        {
          provide: getStorageToken(),
          useFactory: (shared: ThrottlerStorage | undefined, log: Log, metrics: Metrics) => {
            const own = new SlidingLogStorage();
            return shared ? new FallbackStorage(shared, own, log, metrics) : own;
          },
          inject: [SHARED_STORAGE, Log, Metrics],
        },
        { provide: getOptionsToken(), useFactory: throttlerOptions, inject: [Settings] },
        ReadRateGuard,
      ],
      exports: [ReadRateGuard],
    };
  }
}

/** One throttler without a name: a name would end up in the name of the `Retry-After` header. */
function throttlerOptions({ readRate }: Settings): ThrottlerModuleOptions {
  return {
    // No block beyond the window itself; headers are the exception filter's.
    throttlers: [{ limit: readRate.limit, ttl: readRate.windowSeconds * 1000, blockDuration: 0 }],
    setHeaders: false,
  };
}
