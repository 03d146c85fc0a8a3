import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import { ReadDatabase } from './read-database.js';

/** How full the read pools are, read with each scrape of the metrics. */
@Injectable()
export class PoolMetrics {
  constructor({ registry }: Metrics, reads: ReadDatabase) {
    new Gauge({
      name: 'deal_sets_database_connections',
      help: 'Connections of a read pool by state; busy ones run a statement or are being made',
      labelNames: ['pool', 'state'],
      registers: [registry],
      collect() {
        for (const [pool, { total, idle }] of Object.entries(reads.poolStates())) {
          this.set({ pool, state: 'idle' }, idle);
          this.set({ pool, state: 'busy' }, total - idle);
        }
      },
    });
    new Gauge({
      name: 'deal_sets_database_waiting',
      help: 'Reads waiting for a connection of the pool',
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, { waiting }] of Object.entries(reads.poolStates()))
          this.set({ pool }, waiting);
      },
    });
  }
}
