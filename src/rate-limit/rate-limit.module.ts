import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { Settings } from '../config/settings.js';
import type { PortProviders } from '../kernel/port-providers.js';
import { RateCounters, RateLimitStorage } from './rate-limit-storage.js';
import { RATE_LIMITS, rateLimits, RateLimiter } from './rate-limiter.js';
import { RedisStorage } from './redis-storage.js';

/** The token of a team's throttlers. */
export const OWN_THROTTLERS = Symbol('own throttlers');

/**
 * Rate limits by class: shared counters where a team brings some or the settings name a Redis, with those
 * of this process in reserve; else those of this process.
 */
@Global()
@Module({})
export class RateLimitModule {
  static register(ports: PortProviders): DynamicModule {
    return {
      module: RateLimitModule,
      imports: ports.imports,
      providers: [
        ThrottlerStorageService,
        {
          provide: RateLimitStorage,
          useFactory: ({ redisUrl }: Settings, own: ThrottlerStorageService) =>
            redisUrl === undefined ? own : new RedisStorage(redisUrl),
          inject: [Settings, ThrottlerStorageService],
        },
        ...ports.of(RateLimitStorage),
        { provide: RATE_LIMITS, useFactory: rateLimits, inject: [Settings, OWN_THROTTLERS] },
        RateCounters,
        RateLimiter,
      ],
      exports: [RATE_LIMITS, RateCounters, RateLimiter, RateLimitStorage],
    };
  }
}
