import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';
import { IMPORTED_ONCE } from '../imported-once.js';
import type { FeedSnapshot } from '../domain/watermark.js';

/**
 * Metrics of polls: whether clients keep up with the writers, and whether the database's clock was
 * set back.
 */
@Injectable()
export class FeedMetrics {
  readonly #asOfAge = new Histogram({
    name: 'deal_sets_feed_as_of_age_seconds',
    help: 'How far Service-As-Of is behind the time of the read, on the last page of a poll',
    buckets: [0.5, 1, 1.5, 2, 5, 10, 30, 60, 300, 3600],
    registers: [this.metrics.registry],
  });
  readonly #pages = this.#counter(
    'deal_sets_feed_pages_total',
    'Pages of since calls, by whether more changes remained; the total divided by the pages with more="false" is the number of pages per poll',
    ['more'],
  );
  readonly #busy = this.#counter(
    'deal_sets_feed_busy_probes_total',
    'Since calls that found a writer between its stamp and its commit in both of their reads, or that a replica served',
  );
  readonly #tied = this.#counter(
    'deal_sets_feed_tied_pages_total',
    'Pages that were extended by entries with the same stamp as the last one',
  );
  readonly #aheadOfClock = new Gauge({
    name: 'deal_sets_feed_stamp_ahead_of_clock_seconds',
    help: 'How far the newest stamp of the latest read was ahead of the database clock; above one second, the clock was set back',
    registers: [this.metrics.registry],
  });
  readonly repliesUnchecked = this.#counter(
    'deal_sets_feed_replies_unchecked_total',
    'Since calls whose replies could not be looked up',
  );

  /** @param _importedOnce a second instance would register the same metrics again. */
  constructor(
    private readonly metrics: Metrics,
    @Inject(IMPORTED_ONCE) _importedOnce: undefined,
  ) {}

  /**
   * Records one page of a poll.
   *
   * @param watermarkMs `Service-As-Of` in milliseconds since 1970, on the assumption that all
   *   replies could be looked up.
   * @param isTied whether the page was extended by entries that tie with its last one.
   */
  observe(snapshot: FeedSnapshot, watermarkMs: number, isTied: boolean): void {
    this.#pages.inc({ more: String(snapshot.hasMore) });
    if (!snapshot.isQuiet) this.#busy.inc();
    if (isTied) this.#tied.inc();
    if (!snapshot.hasMore) this.#asOfAge.observe((snapshot.readAtMs - watermarkMs) / 1000);
    if (snapshot.newestMs !== null) {
      this.#aheadOfClock.set(Math.max(0, snapshot.newestMs - snapshot.readAtMs) / 1000);
    }
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    const registers = [this.metrics.registry];
    return new Counter({ name, help, labelNames, registers });
  }
}
