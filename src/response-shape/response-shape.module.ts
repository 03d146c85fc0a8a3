import { Module, type DynamicModule } from '@nestjs/common';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import type { FieldRule } from './field-rule.js';
import { ShapeAdditions } from './shape-additions.js';
import { ResponseSerializer } from './response-serializer.js';

/** Serialization of every response, with a team's fields and redaction rules. */
@Module({})
export class ResponseShapeModule {
  static register(
    rules: readonly FieldRule[] = [],
    additions = new ShapeAdditions(),
  ): DynamicModule {
    return {
      module: ResponseShapeModule,
      providers: [
        {
          provide: ResponseSerializer,
          useFactory: (registry: EndpointRegistry) =>
            new ResponseSerializer(rules, () => registry.shapes, additions),
          inject: [EndpointRegistry],
        },
      ],
      exports: [ResponseSerializer],
    };
  }
}
