import { Module, ValidationPipe, type DynamicModule, type Type } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { DealSetsModule, type DealSetsModuleOptions } from './deal-sets/deal-sets.module.js';
import { HealthModule } from './health/health.module.js';
import { EntranceModule } from './http/entrance.module.js';
import type { Log } from './observability/logger.js';
import { ManagementServer } from './observability/management-server.js';
import { APPLICATION_LOG } from './observability/observability.module.js';
import { ApiDescriptionController } from './openapi/api-description.controller.js';
import { ApiDescription } from './openapi/api-description.js';

/** The standalone application: the module, and what an application of its own needs around it. */
@Module({})
export class AppModule {
  /** @param protocols modules of further protocols. */
  static register(
    options: DealSetsModuleOptions,
    log: Log,
    protocols: readonly Type[] = [],
  ): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [DealSetsModule.forRoot(options), EntranceModule, ...protocols, HealthModule],
      controllers: [ApiDescriptionController],
      providers: [
        { provide: APPLICATION_LOG, useValue: log },
        ManagementServer,
        ApiDescription,
        // For the DTOs of a team's controllers. No value is converted: text stays text.
        { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
      ],
      exports: [APPLICATION_LOG, ApiDescription],
    };
  }
}
