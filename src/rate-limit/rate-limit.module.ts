import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { ModuleRegistration } from '../config/module-registration.js';
import { Settings } from '../config/settings.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { InProcessStorage } from './in-process-storage.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { RateLimiter } from './call-rate-limit.js';
import { HOST_THROTTLERS, RATE_LIMITS, rateLimits } from './throttler-options.js';
import { RedisStartCheck } from './redis-start-check.js';
import { RedisStorage } from './redis-storage.js';

/** The port of this module, with its default. */
export const RATE_LIMIT_PORTS = [
  {
    provide: RateLimitStorage,
    useFactory: ({ redisUrl }: Settings, inProcess: InProcessStorage) =>
      redisUrl === undefined ? inProcess : new RedisStorage(redisUrl),
    inject: [Settings, InProcessStorage],
  },
] as const satisfies readonly Provider[];

/**
 * Provides the rate limits: those of the contract's rate class `read` and those of a host
 * application. Requests are counted in shared counters if there are any, otherwise in this process.
 */
@Module({})
export class RateLimitModule {
  static register({ imports, replacements = [] }: ModuleRegistration): DynamicModule {
    return {
      module: RateLimitModule,
      imports,
      providers: [
        InProcessStorage,
        ...RATE_LIMIT_PORTS,
        ...replacements,
        {
          provide: RATE_LIMITS,
          useFactory: (settings: Settings, hostThrottlers: readonly ThrottlerOptions[]) =>
            rateLimits(settings, hostThrottlers),
          inject: [Settings, HOST_THROTTLERS],
        },
        FallbackThrottlerStorage,
        RedisStartCheck,
        RateLimiter,
        RateLimitGuard,
      ],
      exports: [
        RateLimitStorage,
        RATE_LIMITS,
        FallbackThrottlerStorage,
        RateLimiter,
        RateLimitGuard,
      ],
    };
  }
}
