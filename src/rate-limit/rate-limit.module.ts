import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { getOptionsToken, getStorageToken, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { Settings } from '../config/settings.js';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { FallbackStorage } from './fallback-storage.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { ReadRateGuard } from './read-rate.guard.js';
import { RedisStorage } from './redis-storage.js';
import { SlidingLogStorage } from './sliding-log-storage.js';

/**
 * The rate limit of class `read`: shared counters where a team brings some or the settings name a Redis,
 * with those of this process in reserve; else those of this process.
 */
@Module({})
export class RateLimitModule {
  /** @param imports modules whose providers the team's part asks for. */
  static register(
    storage?: Seam<RateLimitStorage>,
    imports: ModuleMetadata['imports'] = [],
  ): DynamicModule {
    return {
      module: RateLimitModule,
      imports,
      providers: [
        seamProvider<RateLimitStorage | undefined>(RateLimitStorage, storage, {
          useFactory: (settings: Settings) =>
            settings.redisUrl === undefined ? undefined : new RedisStorage(settings.redisUrl),
          inject: [Settings],
        }),
        {
          provide: getStorageToken(),
          useFactory: (shared: RateLimitStorage | undefined, log: Log, metrics: Metrics) => {
            const own = new SlidingLogStorage();
            return shared ? new FallbackStorage(shared, own, log, metrics) : own;
          },
          inject: [RateLimitStorage, Log, Metrics],
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
    // Headers are the exception filter's.
    throttlers: [{ limit: readRate.limit, ttl: readRate.windowSeconds * 1000 }],
    setHeaders: false,
  };
}
