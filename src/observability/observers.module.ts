import { Global, Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { overrideProviders, type Undecorated } from '../kernel/provider-override.js';
import type { RequestObserver } from './request-observer.js';

/** The token of a team's request observers, a list. */
export const REQUEST_OBSERVERS = Symbol('request observers');

/** The request observers of a team, for the edge. */
@Global()
@Module({})
export class ObserversModule {
  /** @param imports modules whose providers the observers ask for. */
  static register(
    observers: readonly Undecorated<RequestObserver>[] = [],
    imports: ModuleMetadata['imports'] = [],
  ): DynamicModule {
    const tokens = observers.map((_observer, index) => `request-observer-${index}`);
    return {
      module: ObserversModule,
      imports,
      providers: [
        ...observers.flatMap((observer, index) =>
          overrideProviders<RequestObserver>(tokens[index] ?? '', observer, observer),
        ),
        {
          provide: REQUEST_OBSERVERS,
          useFactory: (...made: RequestObserver[]) => made,
          inject: tokens,
        },
      ],
      exports: [REQUEST_OBSERVERS],
    };
  }
}
