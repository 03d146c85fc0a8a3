import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { CredentialGuard } from './auth/credential.guard.js';
import { ScopeGuard } from './auth/scope.guard.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { DealSetsModule } from './deal-sets/deal-sets.module.js';
import type { DealSetsExtensions } from './extensions.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { Log } from './observability/logger.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { ReadRateGuard } from './rate-limit/read-rate.guard.js';
import { RolloutGuard } from './rollout/rollout.guard.js';
import { RolloutModule } from './rollout/rollout.module.js';

/** Puts the service together: its rooms, a team's parts in their places, and the order of the guards. */
@Module({})
export class AppModule {
  static register(
    settings: Settings,
    extensions: DealSetsExtensions = {},
    log = new Log(settings.logLevel),
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        HttpModule,
        ConfigModule.register(settings),
        ObservabilityModule.register(log),
        DatabaseModule,
        ...(extensions.imports ?? []),
        AuthModule.register(extensions),
        RolloutModule.register(extensions.rollout, extensions.imports),
        RateLimitModule.register(extensions.rateLimitStorage, extensions.imports),
        DealSetsModule.register(extensions),
        OpenApiModule,
        HealthModule,
      ],
      // The order of the checks: who is it, is the endpoint on for them, may they, and not too often.
      // Nothing but identification comes before rollout: an endpoint that is off does not exist.
      providers: [
        { provide: APP_GUARD, useExisting: CredentialGuard },
        { provide: APP_GUARD, useExisting: RolloutGuard },
        { provide: APP_GUARD, useExisting: ScopeGuard },
        { provide: APP_GUARD, useExisting: ReadRateGuard },
      ],
    };
  }
}
