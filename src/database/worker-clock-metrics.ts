import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Settings } from '../config/settings.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { Metrics } from '../observability/metrics.js';
import { ReadDatabase, type Statement } from './read-database.js';

const LIMIT_MS = 1_000;

/** The workers answer side by side; how long that takes is in the difference. */
const WORKER_CLOCKS: Statement = {
  name: 'worker_clocks',
  text: `SELECT nodename || ':' || nodeport AS worker,
  result::float8 - extract(epoch FROM clock_timestamp())::float8 AS "differenceSeconds"
FROM run_command_on_workers('SELECT extract(epoch FROM clock_timestamp())') WHERE success`,
};

interface WorkerClock {
  readonly worker: string;
  readonly differenceSeconds: number;
}

/**
 * Of a distributed database: how far the workers' clocks are from the coordinator's, read with each scrape of the
 * metrics. A buyer whose shard moves goes on with another worker's clock, so that they must agree within the
 * margin of the feed.
 */
@Injectable()
export class WorkerClockMetrics {
  constructor({ registry }: Metrics, { database }: Settings, reads: ReadDatabase) {
    if (!database.isDistributed) return;
    new Gauge({
      name: 'deal_sets_worker_clock_difference_seconds',
      help: "How far a worker's clock is from the coordinator's, to some milliseconds; less than FEED_MARGIN_MS between any two",
      labelNames: ['worker'],
      registers: [registry],
      async collect() {
        try {
          const clocks = await withTimeLimit(LIMIT_MS, undefined, (signal) =>
            reads.signIn.query<WorkerClock>(WORKER_CLOCKS, [], signal),
          );
          this.reset();
          for (const { worker, differenceSeconds } of clocks)
            this.set({ worker }, differenceSeconds);
        } catch {
          // The figures of the last scrape would be those of another time.
          this.reset();
        }
      },
    });
  }
}
