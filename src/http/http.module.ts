import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { ModuleRegistration } from '../config/module-registration.js';
import { ContractFilter } from './contract.filter.js';
import { RequestContextService } from './request-context.service.js';
import { RouteDiscovery } from './route-discovery.js';
import { ResponseContentCheck } from './response-content-check.js';

/**
 * Request contexts, the routes of the application, and the filter that sends the contract's errors.
 */
@Module({})
export class HttpModule {
  static register({ imports }: ModuleRegistration): DynamicModule {
    return {
      module: HttpModule,
      imports: [...imports, DiscoveryModule],
      providers: [RequestContextService, ContractFilter, RouteDiscovery, ResponseContentCheck],
      exports: [RequestContextService, ContractFilter, RouteDiscovery],
    };
  }
}
