import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { Settings } from '../config/settings.js';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import { isDecoration, overrideProviders, type Override } from '../kernel/provider-override.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { FallbackStorage } from './fallback-storage.js';
import { RateClasses, type RateClass } from './rate-classes.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimiter } from './rate-limiter.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { RedisStorage } from './redis-storage.js';
import { SlidingLogStorage } from './sliding-log-storage.js';

/** The parts of rate limiting that a team may fill. */
export interface RateLimitModuleOptions {
  readonly rateLimitStorage?: Override<RateLimitStorage>;
  readonly rateClasses?: Readonly<Record<string, RateClass>>;
  /** Modules whose providers the storage asks for. */
  readonly imports?: ModuleMetadata['imports'];
}

/**
 * Rate limits by class: shared counters where a team brings some or the settings name a Redis, with those
 * of this process in reserve; else those of this process.
 */
@Module({})
export class RateLimitModule {
  static register(parts: RateLimitModuleOptions = {}): DynamicModule {
    return {
      module: RateLimitModule,
      imports: [
        ThrottlerModule.forRootAsync({
          imports: [CountersModule.register(parts)],
          inject: [RateClasses, RateLimitStorage, Log, Metrics],
          useFactory: throttlerOptions,
        }),
        CountersModule.register(parts),
      ],
      providers: [RateLimitGuard, RateLimiter],
      exports: [RateLimitGuard, RateLimiter, CountersModule],
    };
  }
}

const REGISTERED = new WeakMap<RateLimitModuleOptions, DynamicModule>();

/** What the throttler's options are made from. */
@Module({})
class CountersModule {
  /** The same module for the same parts, so that its providers exist once. */
  static register(parts: RateLimitModuleOptions): DynamicModule {
    let counters = REGISTERED.get(parts);
    if (!counters) {
      counters = {
        module: CountersModule,
        imports: parts.imports ?? [],
        providers: [
          ...overrideProviders<RateLimitStorage | undefined>(
            RateLimitStorage,
            parts.rateLimitStorage as Override<RateLimitStorage | undefined> | undefined,
            {
              useFactory: ({ redisUrl }: Settings) => {
                if (redisUrl !== undefined) return new RedisStorage(redisUrl);
                // A decoration wraps something: without Redis, the counters of this process.
                return isDecoration(parts.rateLimitStorage) ? new SlidingLogStorage() : undefined;
              },
              inject: [Settings],
            },
          ),
          {
            provide: RateClasses,
            useFactory: (settings: Settings, registry: EndpointRegistry) =>
              new RateClasses(settings, registry, parts.rateClasses),
            inject: [Settings, EndpointRegistry],
          },
        ],
        exports: [RateLimitStorage, RateClasses],
      };
      REGISTERED.set(parts, counters);
    }
    return counters;
  }
}

/** One throttler without a name: a name would end up in the name of the `Retry-After` header. */
function throttlerOptions(
  classes: RateClasses,
  shared: RateLimitStorage | undefined,
  log: Log,
  metrics: Metrics,
): ThrottlerModuleOptions {
  const own = new SlidingLogStorage();
  return {
    throttlers: [
      {
        limit: (context) => classes.limitOf(context),
        ttl: (context) => classes.windowMsOf(context),
      },
    ],
    storage: shared ? new FallbackStorage(shared, own, log, metrics) : own,
    // The exception filter writes `Retry-After`; no other header is part of the contract.
    setHeaders: false,
  };
}
