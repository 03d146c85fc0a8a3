import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
} from '@nestjs/common';
import { EndpointRegistry } from '../http/endpoint-registry.js';
import { seamProvider, type Seam } from '../kernel/seam.js';
import type { RedactionRule } from './redaction-rule.js';
import { RedactionInterceptor } from './redaction.interceptor.js';
import { ResponseSerializer } from './response-serializer.js';

/** Serialization of every response, with a team's redaction rules. */
@Module({})
export class ResponseShapeModule {
  /** @param imports modules whose providers the rules ask for. */
  static register(
    redactionRules: readonly Seam<RedactionRule>[] = [],
    imports: ModuleMetadata['imports'] = [],
  ): DynamicModule {
    const rules = redactionRules.map((rule, index) => {
      const token: InjectionToken<RedactionRule> = `redaction-rule-${index}`;
      return { token, provider: seamProvider(token, rule, rule) };
    });
    return {
      module: ResponseShapeModule,
      imports,
      providers: [
        ...rules.map(({ provider }) => provider),
        {
          provide: ResponseSerializer,
          useFactory: (registry: EndpointRegistry, ...made: RedactionRule[]) =>
            new ResponseSerializer(made, () => registry.shapes),
          inject: [EndpointRegistry, ...rules.map(({ token }) => token)],
        },
        RedactionInterceptor,
      ],
      exports: [RedactionInterceptor, ResponseSerializer],
    };
  }
}
