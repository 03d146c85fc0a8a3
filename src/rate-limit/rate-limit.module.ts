import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { HttpModule } from '../http/http.module.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { CallRateLimit } from './call-rate-limit.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { InProcessStorage } from './in-process-storage.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RedisStartCheck } from './redis-start-check.js';
import { HOST_THROTTLERS, RATE_LIMITS, combineRateLimits } from './throttler-options.js';

/**
 * Provides the rate limits: those of the contract's rate class `read` and those of a host
 * application. Requests are counted in shared counters if there are any, otherwise in this process.
 */
@Module({
  imports: [ObservabilityModule, HttpModule],
  providers: [
    InProcessStorage,
    { provide: RATE_LIMITS, useFactory: combineRateLimits, inject: [Settings, HOST_THROTTLERS] },
    FallbackThrottlerStorage,
    RedisStartCheck,
    CallRateLimit,
    RateLimitGuard,
  ],
  exports: [InProcessStorage, RATE_LIMITS, FallbackThrottlerStorage, CallRateLimit, RateLimitGuard],
})
export class RateLimitModule {}
