import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { SuccessResponses } from './success-responses.js';

/** The endpoints that `@Endpoint` declares, and the boot check of their declarations. */
@Module({})
export class EndpointModule {
  static register({ imports }: ModuleRegistration): DynamicModule {
    return {
      module: EndpointModule,
      imports,
      providers: [EndpointRegistry, SuccessResponses],
      exports: [EndpointRegistry],
    };
  }
}
