import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { AuthModuleOptions } from '@nestjs/passport';
import type { ModuleRegistration } from '../config/module-registration.js';
import { Settings } from '../config/settings.js';
import { Log } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { ApprovedAssistants } from './approved-assistants.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { KnownAuthorizationEndpoints } from './known-authorization-endpoints.js';
import { openConfiguredIssuer } from './configured-issuer.js';
import { DeclaredScopes } from './declared-scopes.js';
import { GrantStore } from './grant-store.js';
import { JwtAuthenticator } from './jwt-authenticator.js';
import { JwtBearerGuard } from './jwt-bearer.guard.js';
import { PostgresGrantStore } from './postgres-grant-store.js';
import { PostgresSessionStore } from './postgres-session-store.js';
import { SessionAuthenticator } from './session-authenticator.js';
import { SessionStore } from './session-store.js';
import { TokenIssuer } from './token-issuer.js';

/** The ports of this module, with their defaults. */
export const AUTH_PORTS = [
  { provide: SessionStore, useExisting: PostgresSessionStore },
  { provide: GrantStore, useExisting: PostgresGrantStore },
  { provide: AssistantAuthenticator, useExisting: JwtAuthenticator },
] as const satisfies readonly Provider[];

/**
 * The options of `@nestjs/passport` for `JwtBearerGuard` alone. They are not exported, so that the
 * host application's options do not affect our guard, nor ours its guards.
 */
const passportOptions: Provider = {
  provide: AuthModuleOptions,
  useFactory: ({ name }: AccessTokenStrategy): AuthModuleOptions => ({
    defaultStrategy: name,
    property: 'principal',
    session: false,
  }),
  inject: [AccessTokenStrategy],
};

/** Sign-in: what turns a credential into a principal, and the stores behind it. */
@Module({})
export class AuthModule {
  /** @returns the module, with the host application's replacements after the default ports. */
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
        JwtBearerGuard,
        SessionAuthenticator,
        DeclaredScopes,
        ApprovedAssistants,
        {
          provide: TokenIssuer,
          useFactory: openConfiguredIssuer,
          inject: [Settings, Log, Metrics],
        },
        KnownAuthorizationEndpoints,
        AccessTokenStrategy,
        passportOptions,
      ],
      exports: [
        SessionStore,
        GrantStore,
        AssistantAuthenticator,
        SessionAuthenticator,
        ApprovedAssistants,
        KnownAuthorizationEndpoints,
      ],
    };
  }
}
