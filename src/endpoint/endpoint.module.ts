import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { ModuleRegistration } from '../config/module-registration.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { RouteDiscovery } from './route-discovery.js';

/** The endpoints that `@Endpoint` declares, and the boot check of their declarations. */
@Module({})
export class EndpointModule {
  static register({ imports }: ModuleRegistration): DynamicModule {
    return {
      module: EndpointModule,
      imports: [...imports, DiscoveryModule],
      providers: [RouteDiscovery, EndpointRegistry],
      exports: [EndpointRegistry],
    };
  }
}
