import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Log } from './logger.js';
import { ManagementServer } from './management-server.js';
import { Metrics, type OwnMetric } from './metrics.js';

/** The log and the metrics, for every room. */
@Global()
@Module({})
export class ObservabilityModule {
  /** @param own metrics of a team, served beside the service's. */
  static register(log: Log, own: readonly OwnMetric[] = []): DynamicModule {
    return {
      module: ObservabilityModule,
      providers: [
        { provide: Log, useValue: log },
        { provide: Metrics, useFactory: () => new Metrics(own) },
        ManagementServer,
      ],
      exports: [Log, Metrics],
    };
  }
}
