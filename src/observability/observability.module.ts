import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Log } from './logger.js';
import { ManagementServer } from './management-server.js';
import { Metrics } from './metrics.js';

/** The log and the metrics, for every room. */
@Global()
@Module({})
export class ObservabilityModule {
  static register(log: Log): DynamicModule {
    return {
      module: ObservabilityModule,
      providers: [{ provide: Log, useValue: log }, Metrics, ManagementServer],
      exports: [Log, Metrics],
    };
  }
}
