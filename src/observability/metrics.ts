import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Metric,
} from 'prom-client';
import type { PrincipalType } from '../kernel/principal.js';

/** Seconds; fine where responses usually are, and with a bucket at the contract's deadline of 8 s. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10];

/**
 * A metric of a team: made with `registers: []` and given in `metrics` of the extensions. Its labels must be
 * closed sets, never an id.
 */
export type OwnMetric = Metric;

/**
 * The instruments of the service, in a registry of their own so that two applications in one process do
 * not share counts. Labels are closed sets: never an id, a path or anything else a caller chooses.
 */
export class Metrics {
  readonly registry = new Registry();
  #isServed = false;

  readonly requestDuration = new Histogram({
    name: 'deal_sets_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['route', 'status', 'principal'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });

  readonly keySetDownloads = new Counter({
    name: 'deal_sets_key_set_downloads_total',
    help: "Downloads of the issuer's key set, by outcome (success or failure)",
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly keySetDownloadedAt = new Gauge({
    name: 'deal_sets_key_set_downloaded_timestamp_seconds',
    help: "When the issuer's key set in use was downloaded",
    registers: [this.registry],
  });

  readonly rolloutFailures = new Counter({
    name: 'deal_sets_rollout_failures_total',
    help: 'Rollout flag look-ups that failed; the endpoint counts as off',
    labelNames: ['endpoint'],
    registers: [this.registry],
  });

  readonly rateFallbacks = new Counter({
    name: 'deal_sets_rate_limit_fallbacks_total',
    help: 'Requests counted in this process because the shared rate-limit store was unavailable',
    registers: [this.registry],
  });

  readonly sharedCountersUp = new Gauge({
    name: 'deal_sets_rate_limit_shared_up',
    help: '1 while the shared rate-limit store responds, 0 while it is unavailable',
    registers: [this.registry],
  });

  /** @throws {Error} for a metric of a team whose name is the service's or another's. */
  constructor(own: readonly OwnMetric[] = []) {
    for (const metric of own) {
      const { name } = metric as unknown as { readonly name: string };
      if (name.startsWith('deal_sets_')) {
        throw new Error(`metric ${name}: the prefix deal_sets_ is the service’s`);
      }
      this.registry.registerMetric(metric);
    }
  }

  /** @param principal type of the principal; undefined before sign-in or without one. */
  observeRequest(
    route: string,
    status: number | undefined,
    principal: PrincipalType | undefined,
    seconds: number,
  ): void {
    if (!this.#isServed) return;
    this.requestDuration.observe(
      { route, status: status ?? 'aborted', principal: principal ?? 'none' },
      seconds,
    );
  }

  /**
   * Starts what every request would pay for: the durations, and the process's own figures (CPU, memory,
   * garbage collection, event loop lag). Called where something reads them.
   */
  startServing(): void {
    this.#isServed = true;
    collectDefaultMetrics({ register: this.registry });
  }
}
