import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AdmissionModule } from './admission/admission.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CredentialGuard } from './auth/credential.guard.js';
import { ScopeGuard } from './auth/scope.guard.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { shapesWith } from './deal-sets/additions/own-field.js';
import { DealSetsModule } from './deal-sets/deal-sets.module.js';
import { fieldRules } from './deal-sets/redaction/listing-redaction.js';
import type { DealSetsExtensions } from './extensions.js';
import { HealthModule } from './health/health.module.js';
import { EndpointModule } from './http/endpoint.module.js';
import { HttpModule } from './http/http.module.js';
import { InputPipe } from './http/input.pipe.js';
import { ProtectedResourceGuard } from './http/protected-resource.guard.js';
import { Log } from './observability/logger.js';
import { ObserversModule } from './observability/observers.module.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { EXTENSIONS, PartsLog } from './parts-log.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { ResponseShapeModule } from './response-shape/response-shape.module.js';
import { RolloutGuard } from './rollout/rollout.guard.js';
import { RolloutModule } from './rollout/rollout.module.js';

/** Puts the service together: its modules, a team's parts, and the order of the guards. */
@Module({})
export class AppModule {
  /** @param protocols modules of further protocols, loaded where the settings turn them on. */
  static register(
    settings: Settings,
    extensions: DealSetsExtensions = {},
    log = new Log(settings.logLevel),
    protocols: readonly Type[] = [],
  ): DynamicModule {
    const additions = shapesWith(extensions.fields ?? {});
    const rateLimits = RateLimitModule.register(extensions);
    const rollout = RolloutModule.register(extensions.rollout, extensions.imports);
    const responses = ResponseShapeModule.register(
      fieldRules(extensions.redactionRules ?? []),
      additions,
    );
    return {
      module: AppModule,
      imports: [
        HttpModule,
        ConfigModule.register(settings),
        ObservabilityModule.register(log, extensions.metrics),
        ObserversModule.register(extensions.requestObservers, extensions.imports),
        EndpointModule.register({ additions, errors: extensions.errors }),
        DatabaseModule,
        ...(extensions.imports ?? []),
        AuthModule.register(extensions),
        rollout,
        rateLimits,
        responses,
        DealSetsModule.register(
          extensions,
          AdmissionModule.register(rollout, rateLimits),
          responses,
        ),
        ...protocols,
        OpenApiModule.register(rateLimits),
        HealthModule,
      ],
      // The order of the checks: authentication, rollout, scope, rate limit.
      // Nothing but identification comes before rollout: an endpoint that is off does not exist.
      providers: [
        PartsLog,
        { provide: EXTENSIONS, useValue: extensions },
        { provide: APP_GUARD, useClass: ProtectedResourceGuard },
        { provide: APP_GUARD, useExisting: CredentialGuard },
        { provide: APP_GUARD, useExisting: RolloutGuard },
        { provide: APP_GUARD, useExisting: ScopeGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_PIPE, useClass: InputPipe },
      ],
    };
  }
}
