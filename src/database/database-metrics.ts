import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { withTimeLimit } from '../kernel/time-limit.js';
import { Metrics } from '../observability/metrics.js';
import type { Statement } from './cancellable-reader.js';
import { PooledReadDatabase } from './pooled-read-database.js';

const SCRAPE_LIMIT_MS = 1_000;
const HIDDEN_PARTS: Statement<{ count: number }> = {
  name: 'hidden_listing_parts',
  text: `SELECT coalesce(sum(p.hidden_parts), 0)::integer AS count
  FROM deal_sets.price_check p WHERE p.hidden_parts > 0`,
};

/** The metrics of the read pools and of hidden parts of listings, collected on each scrape. */
@Injectable()
export class DatabaseMetrics {
  constructor({ registry }: Metrics, reads: PooledReadDatabase) {
    new Gauge({
      name: 'deal_sets_database_connections',
      help: 'Connections of a read pool by state; busy ones run a statement or are being made',
      labelNames: ['pool', 'state'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [pool, { total, idle }] of reads.poolStates()) {
          this.inc({ pool, state: 'idle' }, idle);
          this.inc({ pool, state: 'busy' }, total - idle);
        }
      },
    });
    new Gauge({
      name: 'deal_sets_database_waiting',
      help: 'Reads waiting for a connection of the pool',
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [pool, { waiting }] of reads.poolStates()) this.inc({ pool }, waiting);
      },
    });
    new Gauge({
      name: 'deal_sets_hidden_listing_parts',
      help: 'Parts of listings (make, model, trim, color) that are hidden from every caller',
      registers: [registry],
      async collect() {
        const read = withTimeLimit(SCRAPE_LIMIT_MS, undefined, (signal) =>
          reads.signIn.query(HIDDEN_PARTS, [], signal),
        );
        // When the database is down, the other metrics matter most, so this one must not fail the
        // scrape.
        const [row] = await read.catch(() => [{ count: NaN }]);
        this.set(row?.count ?? 0);
      },
    });
  }
}
