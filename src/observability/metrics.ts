import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { PrincipalType } from '../kernel/principal.js';

/** Seconds; fine where answers usually are, and with an edge at the contract's deadline of 8 s. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 10];

/**
 * The instruments of the service, in a registry of their own so that two applications in one process do
 * not share counts. Labels are closed sets: never an id, a path or anything else a caller chooses.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly requestDuration = new Histogram({
    name: 'deal_sets_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['route', 'status', 'principal'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });

  /** @param principal type of the principal; undefined before sign-in or without one. */
  observeRequest(
    route: string,
    status: number | undefined,
    principal: PrincipalType | undefined,
    seconds: number,
  ): void {
    this.requestDuration.observe(
      { route, status: status ?? 'aborted', principal: principal ?? 'none' },
      seconds,
    );
  }

  /**
   * Adds the process's own figures: CPU, memory, garbage collection, event loop lag. They have a price
   * and cannot be taken back, so they are collected only where something reads them.
   */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }
}
