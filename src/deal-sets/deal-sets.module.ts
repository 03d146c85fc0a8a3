import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type Provider,
} from '@nestjs/common';
import { AUTH_PORTS, AuthModule } from '../auth/auth.module.js';
import { assertKnownOptions } from '../config/known-options.js';
import type { ModuleRegistration } from '../config/module-registration.js';
import { assertPorts, portCheck, replacementsOf } from '../config/ports.js';
import { DatabaseModule } from '../database/database.module.js';
import { EndpointModule } from '../endpoint/endpoint.module.js';
import { HttpModule } from '../http/http.module.js';
import type { ServiceLogger } from '../observability/service-logger.js';
import { OBSERVABILITY_PORTS, ObservabilityModule } from '../observability/observability.module.js';
import { RATE_LIMIT_PORTS, RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { RedactionModule } from '../redaction/redaction.module.js';
import { ROLLOUT_PORTS, RolloutModule } from '../rollout/rollout.module.js';
import { CustomFieldLoader } from './custom-fields.js';
import {
  DealSetsOptionsModule,
  type DealSetsValues,
  type DealSetsValuesFactory,
} from './deal-sets-options.module.js';
import { DealSetReads } from './deal-set-reads.js';
import { DealSetsApi } from './deal-sets.api.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { EnglishDisplayTexts, DisplayTexts } from './domain/display-texts.js';
import { FeedMetrics } from './feed-metrics.js';
import { LocaleResolver, UsEnglishLocale } from './locale-resolver.js';
import { LocalizedTexts } from './localized-texts.js';
import { PORTS } from './ports.js';
import { DealSetQueries } from './queries/deal-set-queries.js';
import { StartReport } from './start-report.js';
import { VerifiedReads } from './verified-reads.js';

/** Providers and imports supplied by the host application. */
export interface HostProviders extends Pick<ModuleMetadata, 'imports'> {
  /**
   * Providers that replace ports: `SessionStore`, `GrantStore`, `AssistantAuthenticator`,
   * `Rollout`, `RateLimitStorage`, `DisplayTexts`, `LocaleResolver`, `DealSetReads`,
   * `RequestObserver`, `MetricsRegistry`. A factory can inject and wrap the default implementation
   * of any port except the last two.
   */
  readonly providers?: readonly Provider[];
}

/**
 * The options of `forRoot`. The comment of each port describes what an implementation guarantees.
 */
export interface DealSetsModuleOptions extends DealSetsValues, HostProviders {}

/** The options of `forRootAsync`, for values that other providers supply. */
export interface DealSetsModuleAsyncOptions extends HostProviders {
  /** Tokens of the providers that are passed to `useFactory`. */
  readonly inject?: readonly InjectionToken[];
  readonly useFactory: DealSetsValuesFactory['useFactory'];
}

/** The ports of this module, with their defaults. */
const DEAL_SETS_PORTS = [
  { provide: DisplayTexts, useExisting: EnglishDisplayTexts },
  { provide: LocaleResolver, useExisting: UsEnglishLocale },
  { provide: DealSetReads, useExisting: DealSetsService },
] as const;

/**
 * The two read endpoints for any Nest application, with their own sign-in, rollout, rate limit,
 * redaction and errors, which do not affect other routes. Controllers of the host application get
 * the same behavior from `@Endpoint`.
 *
 * This module assembles the modules of the service. It is the only global one.
 */
@Module({})
export class DealSetsModule {
  /**
   * Registers the module with options that are available at once.
   *
   * @throws {Error} for an unknown option, a provider that does not replace a port, or two
   *   providers for one port.
   */
  static forRoot(options: DealSetsModuleOptions): DynamicModule {
    return registerDealSets(options);
  }

  /**
   * Registers the module with options that a factory returns.
   *
   * @throws {Error} as `forRoot`.
   */
  static forRootAsync(options: DealSetsModuleAsyncOptions): DynamicModule {
    return registerDealSetsAsync(options);
  }
}

/**
 * Registers the module like `DealSetsModule.forRoot`, with a logger that the caller chooses.
 *
 * @param logger default: the logger of the host application.
 */
export function registerDealSets(
  { imports = [], providers = [], ...values }: DealSetsModuleOptions,
  logger?: ServiceLogger,
): DynamicModule {
  return registerDealSetsAsync({ imports, providers, useFactory: () => values }, logger);
}

/**
 * Registers the module like `DealSetsModule.forRootAsync`, with a logger that the caller chooses.
 *
 * @param logger default: the logger of the host application.
 */
export function registerDealSetsAsync(
  options: DealSetsModuleAsyncOptions,
  logger?: ServiceLogger,
): DynamicModule {
  assertKnownOptions('DealSetsModule', options, ['imports', 'providers', 'inject', 'useFactory']);
  const { imports = [], providers = [], inject = [], useFactory } = options;
  assertPorts(providers, PORTS);
  const values = DealSetsOptionsModule.register({ imports, inject, useFactory });
  /**
   * Returns the imports of a module with ports, and the host application's providers that replace
   * these ports.
   */
  const registrationOf = (
    ports: readonly { readonly provide: InjectionToken }[],
    modules: readonly DynamicModule[],
  ): ModuleRegistration => ({
    imports: [...imports, values, ...modules],
    replacements: replacementsOf(ports, providers),
  });
  const observability = ObservabilityModule.register(
    registrationOf(OBSERVABILITY_PORTS, []),
    logger,
  );
  const database = DatabaseModule.register({ imports: [values, observability] });
  const http = HttpModule.register({ imports: [values, observability] });
  const auth = AuthModule.register(registrationOf(AUTH_PORTS, [observability, database, http]));
  const rollout = RolloutModule.register(registrationOf(ROLLOUT_PORTS, [observability, http]));
  const rateLimit = RateLimitModule.register(
    registrationOf(RATE_LIMIT_PORTS, [observability, http]),
  );
  const redaction = RedactionModule.register({ imports: [values, http] });
  const endpoint = EndpointModule.register({ imports: [http, redaction] });
  const modules = [
    values,
    observability,
    database,
    http,
    auth,
    rollout,
    rateLimit,
    redaction,
    endpoint,
  ];
  return {
    module: DealSetsModule,
    // Nest resolves the guards and interceptors of a host application's controllers from the modules
    // of these controllers.
    global: true,
    imports: [...imports, ...modules],
    controllers: [DealSetsController],
    providers: [
      EnglishDisplayTexts,
      UsEnglishLocale,
      ...DEAL_SETS_PORTS,
      ...replacementsOf(DEAL_SETS_PORTS, providers),
      DealSetQueries,
      CustomFieldLoader,
      LocalizedTexts,
      DealSetsService,
      VerifiedReads,
      DealSetsApi,
      FeedMetrics,
      StartReport,
      portCheck(PORTS),
    ],
    exports: [...modules, DisplayTexts, LocaleResolver, DealSetReads, DealSetsApi],
  };
}
