import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { registerDealSets, type DealSetsModuleOptions } from './deal-sets/deal-sets.module.js';
import { UndeclaredRoutes } from './endpoint/undeclared-routes.js';
import { HealthModule } from './health/health.module.js';
import { HttpServerModule } from './http/http-server.module.js';
import type { Log } from './observability/logger.js';
import { ManagementModule } from './observability/management.module.js';
import { OAuthMetadataModule } from './oauth-metadata/oauth-metadata.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';

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
   * @param log the log that every module writes to.
   * @param protocols modules of further protocols, such as MCP.
   */
  static register(
    options: DealSetsModuleOptions,
    log: Log,
    protocols: readonly Type[] = [],
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        registerDealSets(options, log),
        HttpServerModule,
        HealthModule,
        ManagementModule,
        OAuthMetadataModule.register({ hasApiDocs: options.settings.hasApiDocs }),
        OpenApiModule,
        ...protocols,
      ],
      providers: [UndeclaredRoutes],
    };
  }
}
