import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Settings } from '../config/settings.js';
import { Metrics } from '../observability/metrics.js';
import { ServiceLogger } from '../observability/service-logger.js';

/** Descriptors for files, timers, Redis, the management port and the log. */
const OWN_DESCRIPTORS = 128;
/**
 * The pools for sign-in, for sessions and for assistants, the latter two also on a read replica.
 */
const POOLS = 5;
/** A flood of connections writes at most one line in this time. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Limits the connections of the server below the process's limit of descriptors. At that limit,
 * Node would accept and close connections without an event, and the service could open no
 * connection to the database.
 */
@Injectable()
export class ConnectionLimit {
  readonly #dropped: Counter;
  #unreported = 0;
  #reportedAt = -Infinity;

  constructor(
    metrics: Metrics,
    private readonly logger: ServiceLogger,
    private readonly settings: Settings,
  ) {
    this.#dropped = new Counter({
      name: 'deal_sets_dropped_connections_total',
      help: "Connections closed at once because the process's limit of descriptors was almost reached",
      registers: [metrics.registry],
    });
  }

  /** Limits a server. Must be called before it listens. */
  watch(server: Server, descriptors = descriptorLimit()): void {
    if (descriptors === undefined) return;
    const own = OWN_DESCRIPTORS + POOLS * this.settings.database.poolSize;
    const limit = Math.max(1, descriptors - own);
    server.maxConnections = limit;
    server.on('drop', () => this.#drop(limit));
  }

  #drop(limit: number): void {
    this.#dropped.inc();
    this.#unreported += 1;
    if (performance.now() - this.#reportedAt < LOG_INTERVAL_MS) return;
    this.logger.warn({ msg: 'connections dropped', count: this.#unreported, limit });
    this.#reportedAt = performance.now();
    this.#unreported = 0;
  }
}

/**
 * Returns how many descriptors the process may have; undefined on a system that does not report it.
 * Node raises the soft limit to the hard one when it starts.
 */
function descriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
