import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Provides the metrics of the service, in the registry of the port `MetricsRegistry`. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class ObservabilityModule {}
