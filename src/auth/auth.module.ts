import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { overrideProviders, type Override } from '../kernel/provider-override.js';
import { AccessTokenStrategy } from './access-token/access-token.strategy.js';
import { AccessTokenVerifier } from './access-token/access-token-verifier.js';
import { AssistantAuthenticator } from './access-token/assistant-authenticator.js';
import { BearerGuard } from './access-token/bearer.guard.js';
import { ConfiguredTokenVerifier } from './access-token/configured-token-verifier.js';
import { CredentialGuard } from './credential.guard.js';
import { GrantStore } from './access-token/grant-store.js';
import { PostgresGrantStore } from './access-token/postgres-grant-store.js';
import { PostgresSessionStore } from './session/postgres-session-store.js';
import { ScopeGuard } from './scope.guard.js';
import { SessionGuard } from './session/session.guard.js';
import { SessionAuthenticator } from './session/session-authenticator.js';
import { SESSION_SCOPES, SessionScopes } from './session/session-scopes.js';
import { SessionStore } from './session/session-store.js';

/** The parts of sign-in that a team may put in place of the defaults. */
export interface AuthModuleOptions {
  readonly sessionStore?: Override<SessionStore>;
  readonly grantStore?: Override<GrantStore>;
  readonly accessTokenVerifier?: Override<AccessTokenVerifier>;
  /** Scopes of a session besides the contract's; default: every declared one. */
  readonly sessionScopes?: readonly string[];
  /** Modules whose providers these parts ask for. */
  readonly imports?: ModuleMetadata['imports'];
}

/** Credential to principal, and the check of its scope. */
@Module({})
export class AuthModule {
  static register(parts: AuthModuleOptions = {}): DynamicModule {
    return {
      module: AuthModule,
      imports: parts.imports ?? [],
      providers: [
        ...overrideProviders(SessionStore, parts.sessionStore, PostgresSessionStore),
        ...overrideProviders(GrantStore, parts.grantStore, PostgresGrantStore),
        ...overrideProviders(
          AccessTokenVerifier,
          parts.accessTokenVerifier,
          ConfiguredTokenVerifier,
        ),
        { provide: SESSION_SCOPES, useValue: parts.sessionScopes ?? null },
        SessionScopes,
        SessionAuthenticator,
        AssistantAuthenticator,
        AccessTokenStrategy,
        BearerGuard,
        SessionGuard,
        CredentialGuard,
        ScopeGuard,
      ],
      exports: [CredentialGuard, ScopeGuard],
    };
  }
}
