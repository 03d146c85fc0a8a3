import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import type { FeedSnapshot } from './domain/feed-position.js';
import { FEED_PAGE } from './queries/deal-set-queries.js';

/** What an operator sees of the polls: whether clients keep up with the writers, and clock skew. */
@Injectable()
export class FeedMetrics {
  readonly #asOfAge: Histogram;
  readonly #pages: Counter<'more'>;
  readonly #busy: Counter;
  readonly #tied: Counter;
  readonly #aheadOfClock: Gauge;
  readonly repliesUnchecked: Counter;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.#asOfAge = new Histogram({
      name: 'deal_sets_feed_as_of_age_seconds',
      help: 'How far Service-As-Of lies behind the read, on the last page of a drain',
      buckets: [0.5, 1, 1.5, 2, 5, 10, 30, 60, 300, 3600],
      registers,
    });
    this.#pages = new Counter({
      name: 'deal_sets_feed_pages_total',
      help: 'Pages of since calls by whether more remained; all pages per page without more are the pages of a drain',
      labelNames: ['more'],
      registers,
    });
    this.#busy = new Counter({
      name: 'deal_sets_feed_busy_probes_total',
      help: 'Since calls that met a writer between its stamp and its commit, or a replica',
      registers,
    });
    this.#tied = new Counter({
      name: 'deal_sets_feed_tied_pages_total',
      help: 'Pages that were extended by entries tied with the last',
      registers,
    });
    this.#aheadOfClock = new Gauge({
      name: 'deal_sets_feed_stamp_ahead_of_clock_seconds',
      help: 'How far the newest stamp last seen lies ahead of the database clock; above a second the clock was set back',
      registers,
    });
    this.repliesUnchecked = new Counter({
      name: 'deal_sets_feed_replies_unchecked_total',
      help: 'Since calls whose replies could not be looked up',
      registers,
    });
  }

  /** @param asOfMs the `Service-As-Of` of the response, milliseconds since 1970. */
  observe(snapshot: FeedSnapshot, asOfMs: number, entries: number): void {
    this.#pages.inc({ more: String(snapshot.hasMore) });
    if (!snapshot.isQuiet) this.#busy.inc();
    if (entries > FEED_PAGE) this.#tied.inc();
    if (!snapshot.hasMore) this.#asOfAge.observe((snapshot.readAtMs - asOfMs) / 1000);
    if (snapshot.newestMs !== null) {
      this.#aheadOfClock.set(Math.max(0, snapshot.newestMs - snapshot.readAtMs) / 1000);
    }
  }
}
