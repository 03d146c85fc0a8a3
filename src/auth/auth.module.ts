import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { Metrics } from '../observability/metrics.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { RolloutModule } from '../rollout/rollout.module.js';
import { AdmissionGuard } from './admission.guard.js';
import { Admission } from './admission.js';
import { AccessTokenStrategy } from './bearer/access-token.strategy.js';
import { ApprovedAssistants } from './bearer/approved-assistants.js';
import { IssuerStart } from './issuer-start.js';
import { JwtAuthenticator } from './bearer/jwt-authenticator.js';
import { PostgresGrantStore } from './bearer/postgres-grant-store.js';
import { configuredIssuer } from './issuer/configured-issuer.js';
import { TokenIssuer } from './issuer/token-issuer.js';
import { PostgresSessionStore } from './session/postgres-session-store.js';
import { SessionAuthenticator } from './session/session-authenticator.js';
import { SignIn } from './sign-in.js';

/**
 * Sign-in and admission: the guard that requires a caller and a scope, the authenticators that turn
 * a credential into a principal, and the defaults of their ports.
 */
@Module({
  imports: [ObservabilityModule, DatabaseModule, HttpModule, RolloutModule],
  providers: [
    PostgresSessionStore,
    PostgresGrantStore,
    JwtAuthenticator,
    SessionAuthenticator,
    ApprovedAssistants,
    {
      provide: TokenIssuer,
      useFactory: configuredIssuer,
      inject: [Settings, TimeLimits, ServiceLogger, Metrics],
    },
    IssuerStart,
    AccessTokenStrategy,
    SignIn,
    Admission,
    AdmissionGuard,
  ],
  exports: [
    PostgresSessionStore,
    PostgresGrantStore,
    JwtAuthenticator,
    ApprovedAssistants,
    TokenIssuer,
    SignIn,
    Admission,
    AdmissionGuard,
  ],
})
export class AuthModule {}
