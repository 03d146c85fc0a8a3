import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import { PooledReadDatabase } from './pooled-read-database.js';

/** The metrics of the read pools, collected on each scrape. */
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
  }
}
