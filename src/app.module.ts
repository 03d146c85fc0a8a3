import {
  BadRequestException,
  Module,
  ValidationPipe,
  type ArgumentMetadata,
  type DynamicModule,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { DealSetsModule, type DealSetsModuleOptions } from './deal-sets/deal-sets.module.js';
import { HealthController } from './health/health.controller.js';
import { ContractFilter } from './http/contract.filter.js';
import { UndeclaredHandlers } from './endpoint/endpoint-registry.js';
import { Entrance } from './http/http-server-lifecycle.js';
import { APPLICATION_LOG, type Log } from './observability/logger.js';
import { ManagementServer } from './observability/management-server.js';
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
      imports: [DealSetsModule.forRoot(options), ...protocols],
      controllers: [HealthController],
      providers: [
        { provide: APPLICATION_LOG, useValue: log },
        Entrance,
        UndeclaredHandlers,
        { provide: APP_FILTER, useExisting: ContractFilter },
        ManagementServer,
        ApiDescription,
        { provide: APP_PIPE, useValue: new InputPipe({ transform: true, whitelist: true }) },
      ],
      exports: [APPLICATION_LOG, ApiDescription, Entrance],
    };
  }
}

/** For the DTOs of controllers. No value is converted: text stays text. */
class InputPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      // Nested so deeply that class-transformer has no stack left for it.
      const isTooDeep = error instanceof RangeError && /call stack/.test(error.message);
      throw isTooDeep ? new BadRequestException() : error;
    }
  }
}
