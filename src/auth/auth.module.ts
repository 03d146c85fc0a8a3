import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { seamProvider, type Seam } from '../kernel/seam.js';
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
import { SessionStore } from './session/session-store.js';

/** The parts of sign-in that a team may put in place of the defaults. */
export interface AuthParts {
  readonly sessionStore?: Seam<SessionStore>;
  readonly grantStore?: Seam<GrantStore>;
  readonly accessTokenVerifier?: Seam<AccessTokenVerifier>;
  /** Modules whose providers these parts ask for. */
  readonly imports?: ModuleMetadata['imports'];
}

/** Credential to principal, and the check of its scope. */
@Module({})
export class AuthModule {
  static register(parts: AuthParts = {}): DynamicModule {
    return {
      module: AuthModule,
      imports: parts.imports ?? [],
      providers: [
        seamProvider(SessionStore, parts.sessionStore, PostgresSessionStore),
        seamProvider(GrantStore, parts.grantStore, PostgresGrantStore),
        seamProvider(AccessTokenVerifier, parts.accessTokenVerifier, ConfiguredTokenVerifier),
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
