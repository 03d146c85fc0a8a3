import type { Provider } from '@nestjs/common';
import { DealSetReads, DealSetsService, LocaleResolver, MetricsRegistry } from '@deal-sets/service';
import { CachedReads } from './cached-reads.js';
import { ShadowedReads } from './shadowed-reads.js';
import { TracedReads } from './traced-reads.js';

/**
 * Replaces the port of the reads with three decorators of the service's own implementation. The
 * outermost one records a span for each read. One read in a hundred is repeated without the cache,
 * to measure how often cached responses are out of date.
 */
export const reads: Provider = {
  provide: DealSetReads,
  useFactory: (service: DealSetsService, locales: LocaleResolver, registry: MetricsRegistry) => {
    const cached = new CachedReads(service, locales, registry, 5_000);
    return new TracedReads(new ShadowedReads(cached, service, registry, 0.01));
  },
  inject: [DealSetsService, LocaleResolver, MetricsRegistry],
};
