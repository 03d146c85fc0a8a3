import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import type { FeedSnapshot } from './domain/feed-position.js';

/** Metrics of the polls: whether clients keep up with the writers, and clock skew. */
@Injectable()
export class FeedMetrics {
  readonly #asOfAge = new Histogram({
    name: 'deal_sets_feed_as_of_age_seconds',
    help: 'How far Service-As-Of lies behind the read, on the last page of a drain',
    buckets: [0.5, 1, 1.5, 2, 5, 10, 30, 60, 300, 3600],
    registers: [this.metrics.registry],
  });
  readonly #pages = this.#counter(
    'deal_sets_feed_pages_total',
    'Pages of since calls by whether more remained; all pages per page without more are the pages of a drain',
    ['more'],
  );
  readonly #busy = this.#counter(
    'deal_sets_feed_busy_probes_total',
    'Since calls that met a writer between its stamp and its commit, at a second look too, or a replica',
  );
  readonly #tied = this.#counter(
    'deal_sets_feed_tied_pages_total',
    'Pages that were extended by entries tied with the last',
  );
  readonly #aheadOfClock = new Gauge({
    name: 'deal_sets_feed_stamp_ahead_of_clock_seconds',
    help: 'How far the newest stamp last seen lies ahead of the database clock; above a second the clock was set back',
    registers: [this.metrics.registry],
  });
  readonly repliesUnchecked = this.#counter(
    'deal_sets_feed_replies_unchecked_total',
    'Since calls whose replies could not be looked up',
  );

  constructor(private readonly metrics: Metrics) {}

  /**
   * @param watermarkMs `Service-As-Of` in milliseconds since 1970, as it is when all replies could
   *   be looked up.
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
