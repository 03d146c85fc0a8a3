import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { PortProviders } from '../kernel/port-providers.js';
import { Log } from './logger.js';
import { Metrics, MetricsRegistry } from './metrics.js';
import { toHostLogger } from './nest-log.js';
import { RequestObserver } from './request-observer.js';

/** The token of the standalone application's log; without it the module writes to the host's logger. */
export const APPLICATION_LOG = Symbol('application log');

/** The log, the metrics and the observer of requests. */
@Global()
@Module({})
export class ObservabilityModule {
  static register(ports: PortProviders): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: ports.imports,
      providers: [
        {
          provide: Log,
          useFactory: ({ logLevel }: Settings, given?: Log) =>
            given ?? new Log(logLevel, toHostLogger()),
          inject: [Settings, { token: APPLICATION_LOG, optional: true }],
        },
        MetricsRegistry,
        { provide: RequestObserver, useValue: { observe: () => undefined } },
        ...ports.of(MetricsRegistry, RequestObserver),
        Metrics,
      ],
      exports: [Log, Metrics, MetricsRegistry, RequestObserver],
    };
  }
}
