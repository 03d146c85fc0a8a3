import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { EndpointModule } from '../endpoint/endpoint.module.js';
import { HttpModule } from '../http/http.module.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import type { ServiceLogger } from '../observability/service-logger.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { RedactionModule } from '../redaction/redaction.module.js';
import { RolloutModule } from '../rollout/rollout.module.js';
import { CustomFieldLoader } from './extension/custom-fields.js';
import {
  DealSetsOptionsModule,
  type DealSetsModuleAsyncOptions,
  type DealSetsModuleOptions,
  VALUE_TOKENS,
} from './extension/deal-sets-options.module.js';
import { DealSetsApi } from './deal-sets.api.js';
import { DealSetsController } from './deal-sets.controller.js';
import { DealSetsService } from './deal-sets.service.js';
import { IMPORTED_ONCE } from './imported-once.js';
import { EnglishDisplayTexts } from './extension/display-texts.js';
import { ResponseTexts } from './extension/response-texts.js';
import { FeedMetrics } from './queries/feed-metrics.js';
import { assertImportedOnce, assertReplaceable, providerToken } from './extension/port-checks.js';
import { DealSetQueries } from './queries/deal-set-queries.js';
import { StartReport } from './start-report.js';

const MODULES = [
  ObservabilityModule,
  DatabaseModule,
  HttpModule,
  AuthModule,
  RolloutModule,
  RateLimitModule,
  RedactionModule,
  EndpointModule,
];

/**
 * The two read endpoints for any Nest application, with their own sign-in, rollout, rate limit,
 * redaction and errors, which do not affect other routes. Controllers of the host application get
 * the same behavior from `@Endpoint`.
 *
 * It is global, because Nest resolves the guards and interceptors of a host application's
 * controllers from the modules of these controllers.
 */
@Global()
@Module({
  imports: MODULES,
  controllers: [DealSetsController],
  providers: [
    EnglishDisplayTexts,
    DealSetQueries,
    CustomFieldLoader,
    ResponseTexts,
    DealSetsService,
    DealSetsApi,
    FeedMetrics,
    StartReport,
    {
      provide: IMPORTED_ONCE,
      useFactory: (modules: ModulesContainer) => assertImportedOnce(modules, DealSetsModule),
      inject: [ModulesContainer],
    },
  ],
  exports: [...MODULES, EnglishDisplayTexts, DealSetsApi],
})
export class DealSetsModule {
  /**
   * Registers the module with options that are available at once.
   *
   * @throws {Error} for a provider that is meant to replace something that is not a port.
   */
  static forRoot(options: DealSetsModuleOptions): DynamicModule {
    return registerDealSets(options);
  }

  /**
   * Registers the module with options that a function or a class of the host application returns.
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
  const services = [DealSetsModule, ...MODULES].flatMap(
    (module) => (Reflect.getMetadata(MODULE_METADATA.PROVIDERS, module) ?? []) as Provider[],
  );
  assertReplaceable(options.providers ?? [], [...services.map(providerToken), ...VALUE_TOKENS]);
  const hostOptions = DealSetsOptionsModule.register(options, logger);
  return { module: DealSetsModule, imports: [hostOptions], exports: [hostOptions] };
}
