import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ServerSettings } from '../config/service-settings.js';
import type { DealSetsModuleOptions } from '../deal-sets/extension/deal-sets-options.module.js';
import { registerDealSets } from '../deal-sets/deal-sets.module.js';
import { UndeclaredRoutes } from './undeclared-routes.js';
import { HealthModule } from './health.module.js';
import { HttpServerModule } from './http-server.module.js';
import type { ServiceLogger } from '../observability/service-logger.js';
import { ManagementModule } from './management.module.js';
import { OAuthMetadataModule } from '../oauth-metadata/oauth-metadata.module.js';
import { OpenApiModule } from './openapi.module.js';

/**
 * The standalone application: `DealSetsModule` with its HTTP server, health checks, management port
 * and API description.
 */
@Module({})
export class AppModule {
  /**
   * Registers the modules of the standalone application.
   *
   * @param options the options of `DealSetsModule`.
   * @param server the settings of the server, which every module can inject.
   * @param logger the logger that every module writes to.
   * @param protocols modules of further protocols, such as MCP.
   */
  static register(
    options: DealSetsModuleOptions,
    server: ServerSettings,
    logger: ServiceLogger,
    protocols: readonly Type[] = [],
  ): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        registerDealSets(options, logger),
        HttpServerModule,
        HealthModule,
        ManagementModule,
        OAuthMetadataModule,
        OpenApiModule,
        ...protocols,
      ],
      providers: [UndeclaredRoutes, { provide: ServerSettings, useValue: server }],
      exports: [ServerSettings],
    };
  }
}
