import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { port, type Ports } from '../config/ports.js';
import { Settings } from '../config/settings.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { Metrics, MetricsRegistry } from '../observability/metrics.js';
import { REGISTRY_METHODS } from '../observability/observability.module.js';
import { RequestObserver } from '../observability/request-observer.js';
import { AccessTokenStrategy } from './bearer/access-token.strategy.js';
import { ApprovedAssistants } from './bearer/approved-assistants.js';
import { AssistantAuthenticator } from './bearer/assistant-authenticator.js';
import { CredentialGuard } from './credential.guard.js';
import { openConfiguredIssuer } from './issuer/configured-issuer.js';
import { GrantStore } from './bearer/grant-store.js';
import { JwtAuthenticator } from './bearer/jwt-authenticator.js';
import { PostgresGrantStore } from './bearer/postgres-grant-store.js';
import { PostgresSessionStore } from './session/postgres-session-store.js';
import { ScopeGuard } from './scope.guard.js';
import { SessionAuthenticator } from './session/session-authenticator.js';
import { SessionStore } from './session/session-store.js';
import { TokenIssuer } from './issuer/token-issuer.js';

/** The ports of this module, with their defaults. */
export const AUTH_PORTS = [
  { provide: SessionStore, useExisting: PostgresSessionStore },
  { provide: GrantStore, useExisting: PostgresGrantStore },
  { provide: AssistantAuthenticator, useExisting: JwtAuthenticator },
] as const satisfies readonly Provider[];

/** The ports of sign-in and of observability. */
export const SIGN_IN_PORTS: Ports = new Map([
  // The check runs in this order. `AssistantAuthenticator` depends on ports above it and inherits
  // their scope, so a request-scoped dependency must be reported first.
  port(SessionStore, 'find'),
  port(GrantStore, 'find'),
  port(MetricsRegistry, ...REGISTRY_METHODS),
  port(AssistantAuthenticator, 'authenticate'),
  port(RequestObserver, 'observe'),
]);

/** Sign-in: the authenticators that turn a credential into a principal, and their stores. */
@Module({})
export class AuthModule {
  static register({ imports, replacements = [] }: ModuleRegistration): DynamicModule {
    return {
      module: AuthModule,
      imports,
      providers: [
        PostgresSessionStore,
        PostgresGrantStore,
        JwtAuthenticator,
        ...AUTH_PORTS,
        ...replacements,
        SessionAuthenticator,
        ApprovedAssistants,
        {
          provide: TokenIssuer,
          useFactory: openConfiguredIssuer,
          inject: [Settings, ServiceLogger, Metrics],
        },
        AccessTokenStrategy,
        CredentialGuard,
        ScopeGuard,
      ],
      exports: [
        SessionStore,
        GrantStore,
        AssistantAuthenticator,
        SessionAuthenticator,
        ApprovedAssistants,
        TokenIssuer,
        CredentialGuard,
        ScopeGuard,
      ],
    };
  }
}
