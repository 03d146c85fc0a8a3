import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { assertImplementation } from '../config/ports.js';
import { Log } from './logger.js';
import { Metrics, MetricsRegistry } from './metrics.js';
import { toHostLogger } from './nest-log.js';
import { RequestObserver } from './request-observer.js';

/** The ports of this module, with their defaults. */
export const OBSERVABILITY_PORTS = [
  { provide: RequestObserver, useValue: { observe: () => undefined } },
  { provide: MetricsRegistry, useClass: MetricsRegistry },
] as const satisfies readonly Provider[];

const hostLog: Provider = {
  provide: Log,
  useFactory: () => new Log('trace', toHostLogger()),
};

/** The methods of a registry, which the boot check of all ports also requires. */
export const REGISTRY_METHODS = ['registerMetric', 'metrics'] as const;

/** The metrics are registered before the boot check of the ports, so the registry is checked here. */
const metrics: Provider = {
  provide: Metrics,
  useFactory: (registry: MetricsRegistry) => {
    assertImplementation(MetricsRegistry, REGISTRY_METHODS, registry);
    return new Metrics(registry);
  },
  inject: [MetricsRegistry],
};

/** Provides the log, the metrics and the observer of requests. */
@Module({})
export class ObservabilityModule {
  /**
   * @param log the log of the standalone application. Default: lines go to the logger of the host
   *   application.
   */
  static register({ imports, replacements = [] }: ModuleRegistration, log?: Log): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: [...imports],
      providers: [
        log ? { provide: Log, useValue: log } : hostLog,
        ...OBSERVABILITY_PORTS,
        ...replacements,
        metrics,
      ],
      exports: [Log, Metrics, RequestObserver, MetricsRegistry],
    };
  }
}
