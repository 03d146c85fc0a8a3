import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Provides the metrics of the service, which the port `MetricsRegistry` serves. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class ObservabilityModule {}
