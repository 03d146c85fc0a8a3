import type { Provider } from '@nestjs/common';
import { DealSetReads, DealSetsService, LocaleResolver, MetricsRegistry } from '@deal-sets/service';
import { CachedReads } from './cached-reads.js';
import { TracedReads } from './traced-reads.js';

/**
 * Replaces the port of the reads with two decorators of the service's own implementation. The outer
 * one records a span for each read.
 */
export const reads: Provider = {
  provide: DealSetReads,
  useFactory: (service: DealSetsService, locales: LocaleResolver, registry: MetricsRegistry) =>
    new TracedReads(new CachedReads(service, locales, registry, 5_000)),
  inject: [DealSetsService, LocaleResolver, MetricsRegistry],
};
