import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { Metrics } from '../observability/metrics.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { AccessTokenStrategy } from './bearer/access-token.strategy.js';
import { ApprovedAssistants } from './bearer/approved-assistants.js';
import { IssuerStart } from './bearer/issuer-start.js';
import { JwtAuthenticator } from './bearer/jwt-authenticator.js';
import { PostgresGrantStore } from './bearer/postgres-grant-store.js';
import { CredentialGuard } from './credential.guard.js';
import { configuredIssuer } from './issuer/configured-issuer.js';
import { TokenIssuer } from './issuer/token-issuer.js';
import { EndpointScopeGuard, ScopeGuard } from './scope.guard.js';
import { PostgresSessionStore } from './session/postgres-session-store.js';
import { SessionAuthenticator } from './session/session-authenticator.js';

/**
 * Sign-in: the authenticators that turn a credential into a principal, and the defaults of its
 * ports.
 */
@Module({
  imports: [ObservabilityModule, DatabaseModule, HttpModule],
  providers: [
    PostgresSessionStore,
    PostgresGrantStore,
    JwtAuthenticator,
    SessionAuthenticator,
    ApprovedAssistants,
    {
      provide: TokenIssuer,
      useFactory: configuredIssuer,
      inject: [Settings, ServiceLogger, Metrics],
    },
    IssuerStart,
    AccessTokenStrategy,
    CredentialGuard,
    ScopeGuard,
    EndpointScopeGuard,
  ],
  exports: [
    PostgresSessionStore,
    PostgresGrantStore,
    JwtAuthenticator,
    SessionAuthenticator,
    ApprovedAssistants,
    TokenIssuer,
    CredentialGuard,
    ScopeGuard,
    EndpointScopeGuard,
  ],
})
export class AuthModule {}
