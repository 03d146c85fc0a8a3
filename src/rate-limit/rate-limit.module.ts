import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { HttpModule } from '../http/http.module.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { InProcessStorage } from './in-process-storage.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimits } from './rate-limits.js';
import { RedisStartCheck } from './redis-start-check.js';
import { combineThrottlers, HOST_THROTTLERS, THROTTLERS } from './throttlers.js';

/**
 * Provides the rate limits: those of the contract's rate class `read` and those of a host
 * application. Requests are counted in shared counters if there are any, otherwise in this process.
 */
@Module({
  imports: [ObservabilityModule, HttpModule],
  providers: [
    InProcessStorage,
    { provide: THROTTLERS, useFactory: combineThrottlers, inject: [Settings, HOST_THROTTLERS] },
    FallbackThrottlerStorage,
    RedisStartCheck,
    RateLimits,
    RateLimitGuard,
  ],
  exports: [InProcessStorage, THROTTLERS, FallbackThrottlerStorage, RateLimits, RateLimitGuard],
})
export class RateLimitModule {}
