import { Logger, Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { assertImplementation } from '../config/ports.js';
import { ServiceLogger } from './service-logger.js';
import { Metrics, MetricsRegistry } from './metrics.js';
import { RequestObserver } from './request-observer.js';

/** The ports of this module, with their defaults. */
export const OBSERVABILITY_PORTS = [
  { provide: RequestObserver, useValue: { observe: () => undefined } },
  { provide: MetricsRegistry, useClass: MetricsRegistry },
] as const satisfies readonly Provider[];

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

/** Provides the logger, the metrics and the observer of requests. */
@Module({})
export class ObservabilityModule {
  /** @param logger default: Nest's logger, which writes to the log of the host application. */
  static register(
    { imports, replacements = [] }: ModuleRegistration,
    logger?: ServiceLogger,
  ): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: [...imports],
      providers: [
        { provide: ServiceLogger, useValue: logger ?? new Logger('DealSetsModule') },
        ...OBSERVABILITY_PORTS,
        ...replacements,
        metrics,
      ],
      exports: [ServiceLogger, Metrics, RequestObserver, MetricsRegistry],
    };
  }
}
