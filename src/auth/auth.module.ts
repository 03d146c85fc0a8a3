import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type Provider,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AuthModuleOptions as PassportOptions } from '@nestjs/passport';
import { assertModuleImport, globalModule } from '../config/global-module.js';
import { assertKnownOptions } from '../config/known-options.js';
import type { ModuleRegistration } from '../config/module-registration.js';
import { assertPorts, port, portCheck, replacementsOf, type Ports } from '../config/ports.js';
import { Settings } from '../config/settings.js';
import {
  SettingsModule,
  type SettingsFactory,
  type SettingsValues,
} from '../config/settings.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { Metrics, MetricsRegistry } from '../observability/metrics.js';
import {
  OBSERVABILITY_PORTS,
  ObservabilityModule,
  REGISTRY_METHODS,
} from '../observability/observability.module.js';
import { RequestObserver } from '../observability/request-observer.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { ApprovedAssistants } from './approved-assistants.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { openConfiguredIssuer } from './configured-issuer.js';
import { DeclaredScopes } from './declared-scopes.js';
import { GrantStore } from './grant-store.js';
import { JwtAuthenticator } from './jwt-authenticator.js';
import { JwtBearerGuard } from './jwt-bearer.guard.js';
import { KnownAuthorizationEndpoints } from './known-authorization-endpoints.js';
import { PostgresGrantStore } from './postgres-grant-store.js';
import { PostgresSessionStore } from './postgres-session-store.js';
import { ScopeDeclarations } from './scope-declarations.js';
import { SessionAuthenticator } from './session-authenticator.js';
import { SessionStore } from './session-store.js';
import { GuardDiscovery } from './guard-discovery.js';
import { TokenIssuer } from './token-issuer.js';
import { UncachedHandlers } from './uncached-handlers.js';

/** The ports of this module, with their defaults. */
export const AUTH_PORTS = [
  { provide: SessionStore, useExisting: PostgresSessionStore },
  { provide: GrantStore, useExisting: PostgresGrantStore },
  { provide: AssistantAuthenticator, useExisting: JwtAuthenticator },
] as const satisfies readonly Provider[];

/**
 * The options of `@nestjs/passport` for `JwtBearerGuard` alone. They are not exported, so that they
 * do not affect the guards of the host application. The options of the host application do not
 * affect this guard either.
 */
const passportOptions: Provider = {
  provide: PassportOptions,
  useFactory: ({ name }: AccessTokenStrategy): PassportOptions => ({
    defaultStrategy: name,
    property: 'principal',
    session: false,
  }),
  inject: [AccessTokenStrategy],
};

/** The ports that a host application may replace if it imports only `AuthModule`. */
export const SIGN_IN_PORTS: Ports = new Map([
  // The check runs in this order. `AssistantAuthenticator` depends on ports above it and inherits
  // their scope, so a request-scoped dependency must be reported first.
  port(SessionStore, 'find'),
  port(GrantStore, 'find'),
  port(MetricsRegistry, ...REGISTRY_METHODS),
  port(AssistantAuthenticator, 'authenticate'),
  port(RequestObserver, 'observe'),
]);

/** Providers and imports supplied by the host application. */
export interface AuthProviders extends Pick<ModuleMetadata, 'imports'> {
  /**
   * Providers that replace ports: `SessionStore`, `GrantStore`, `AssistantAuthenticator`,
   * `RequestObserver`, `MetricsRegistry`.
   */
  readonly providers?: readonly Provider[];
}

/** The options of `AuthModule.forRoot`. */
export interface AuthModuleOptions extends SettingsValues, AuthProviders {}

/** The options of `AuthModule.forRootAsync`, for settings that other providers supply. */
export interface AuthModuleAsyncOptions extends AuthProviders {
  /** Tokens of the providers that are passed to `useFactory`. */
  readonly inject?: readonly InjectionToken[];
  readonly useFactory: SettingsFactory['useFactory'];
}

/**
 * Provides sign-in: the authenticators that turn a credential into a principal, and their stores.
 *
 * `DealSetsModule` contains it. An application without the two read endpoints imports only this
 * module, to protect its own handlers with `BuyerAuthGuard`. The module is then global and exports
 * everything that the guard and `ContractFilter` need.
 */
@Module({})
export class AuthModule {
  /**
   * Checks that the application imports the module only once, with its options.
   *
   * @throws {Error} when the application imports the module a second time, or without options.
   */
  constructor(modules: ModulesContainer) {
    const advice = 'it is global and part of DealSetsModule, so import only one of the two, once';
    assertModuleImport(AuthModule, modules, advice);
  }

  /**
   * Creates the module with the given settings.
   *
   * @throws {Error} for an unknown option, a provider that does not replace a port, or a port that
   *   is replaced twice.
   */
  static forRoot({ settings, ...host }: AuthModuleOptions): DynamicModule {
    return AuthModule.forRootAsync({ ...host, useFactory: () => ({ settings }) });
  }

  /**
   * Creates the module with settings that a factory returns.
   *
   * @throws {Error} in the same cases as `forRoot`.
   */
  static forRootAsync(options: AuthModuleAsyncOptions): DynamicModule {
    const { imports = [], providers = [], inject = [], useFactory } = options;
    assertKnownOptions('AuthModule', options, ['imports', 'providers', 'inject', 'useFactory']);
    assertPorts(providers, SIGN_IN_PORTS);
    const settings = SettingsModule.register('AuthModule', { imports, inject, useFactory });
    const observability = ObservabilityModule.register({
      imports: [...imports, settings],
      replacements: replacementsOf(OBSERVABILITY_PORTS, providers),
    });
    const database = DatabaseModule.register({ imports: [settings, observability] });
    const http = HttpModule.register({ imports: [settings, observability] });
    const modules = [settings, observability, database, http];
    const { exports: exported = [], ...auth } = registerAuth({
      imports: [...imports, ...modules],
      replacements: replacementsOf(AUTH_PORTS, providers),
    });
    return globalModule({
      ...auth,
      providers: [...(auth.providers ?? []), portCheck(SIGN_IN_PORTS)],
      exports: [...exported, ...modules],
    });
  }
}

/**
 * Registers `AuthModule` as a part of `DealSetsModule`.
 *
 * @returns the module, with the host application's replacements after the default ports.
 */
export function registerAuth({ imports, replacements = [] }: ModuleRegistration): DynamicModule {
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
      GuardDiscovery,
      ScopeDeclarations,
      UncachedHandlers,
      ApprovedAssistants,
      {
        provide: TokenIssuer,
        useFactory: openConfiguredIssuer,
        inject: [Settings, ServiceLogger, Metrics],
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
