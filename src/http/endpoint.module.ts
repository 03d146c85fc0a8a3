import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EndpointCheck } from './endpoint-check.js';
import { EndpointRegistry } from './endpoint-registry.js';
import { OwnErrors, type OwnError } from './own-errors.js';
import { ShapeAdditions } from '../response-shape/shape-additions.js';

/** What a team adds to the endpoints of the application. */
export interface EndpointModuleOptions {
  readonly additions?: ShapeAdditions;
  readonly errors?: readonly OwnError[];
}

/** The declared endpoints, for every module, and the check that each handler is declared. */
@Module({})
export class EndpointModule {
  static register({ additions, errors }: EndpointModuleOptions = {}): DynamicModule {
    return {
      module: EndpointModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        EndpointRegistry,
        EndpointCheck,
        { provide: ShapeAdditions, useValue: additions ?? new ShapeAdditions() },
        { provide: OwnErrors, useValue: new OwnErrors(errors) },
      ],
      exports: [EndpointRegistry, OwnErrors],
    };
  }
}
