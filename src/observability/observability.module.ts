import { Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Log } from './logger.js';
import { ManagementServer } from './management-server.js';
import { Metrics } from './metrics.js';

/** The log and the metrics, for every room. */
@Global()
@Module({
  providers: [
    {
      provide: Log,
      useFactory: (settings: Settings) => new Log(settings.logLevel),
      inject: [Settings],
    },
    Metrics,
    ManagementServer,
  ],
  exports: [Log, Metrics],
})
export class ObservabilityModule {}
