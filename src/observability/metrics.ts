import { Injectable } from '@nestjs/common';
import { PACKAGE_VERSION } from '../config/package-version.js';
import { assertImplemented } from '../kernel/port.js';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Returns metrics in Prometheus's text format, version 0.0.4. */
export type MetricsSource = () => Promise<string>;

/**
 * Combines the metrics of the service with those of a host application, whatever library each of
 * them uses. The service registers its metrics when it starts. Labels must be closed sets, never an
 * id.
 *
 * Guarantees: `text` contains the metrics of every source.
 * Must never: change the names or the values of the service's metrics.
 * When it fails: the management port responds with 500; no other response changes.
 */
export abstract class MetricsRegistry {
  /**
   * Adds a source of metrics. Its metrics must have other names than those of every other source.
   */
  abstract register(source: MetricsSource): void;
  /** Returns the metrics of all sources, as a scrape gets them. */
  abstract text(): Promise<string>;
  /** The value of the header `Content-Type` for this text. */
  abstract readonly contentType: string;
}

/** The default: joins the texts of all sources. */
@Injectable()
export class JoinedMetrics extends MetricsRegistry {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #sources: MetricsSource[] = [];

  register(source: MetricsSource): void {
    this.#sources.push(source);
  }

  async text(): Promise<string> {
    return (await Promise.all(this.#sources.map((source) => source()))).join('');
  }
}

/**
 * The metrics of the service. Labels are closed sets: never an id, a path or another value that a
 * caller chooses.
 */
@Injectable()
export class Metrics {
  /** The service's own metrics. The class is not part of the public interface. */
  readonly registry = new Registry();
  readonly requestDuration = new Histogram({
    name: 'deal_sets_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['route', 'status', 'principal'],
    // The buckets are narrow in the range of usual durations, and one ends at the contract's
    // deadline of 8 seconds.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10],
    registers: [this.registry],
  });
  readonly mcpCalls = new Counter({
    name: 'deal_sets_mcp_calls_total',
    help: "Messages to /mcp by JSON-RPC method, tool and the tool's error code (none if it succeeded)",
    labelNames: ['method', 'tool', 'error'],
    registers: [this.registry],
  });
  readonly rejections = new Counter({
    name: 'deal_sets_rejected_credentials_total',
    help: 'Requests rejected with 401, by rejection reason of the credential',
    labelNames: ['reason'],
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
    labelNames: ['flag'],
    registers: [this.registry],
  });
  readonly rateFallbacks = new Counter({
    name: 'deal_sets_rate_limit_fallbacks_total',
    help: 'Requests counted in this process because the shared rate-limit store was unavailable',
    registers: [this.registry],
  });
  readonly sharedCountersUp = new Gauge({
    name: 'deal_sets_rate_limit_shared_up',
    help: '1 while the shared rate-limit store responds, 0 before its first reply and while it is unavailable',
    // This gauge is registered elsewhere, and only if there are shared counters. Without shared
    // counters, its value 0 would look like a failure.
    registers: [],
  });

  constructor(combined: MetricsRegistry) {
    // Nest creates this class before the modules check the ports.
    assertImplemented('MetricsRegistry', ['register', 'text'], combined);
    combined.register(() => this.registry.metrics());
    new Gauge({
      name: 'deal_sets_build_info',
      help: 'Always 1; the labels are the version of the service and that of Node',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version: PACKAGE_VERSION, node: process.versions.node }, 1);
  }
}
