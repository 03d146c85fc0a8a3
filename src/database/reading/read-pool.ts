import { Pool } from 'pg';
import type { Deadline } from '../../kernel/deadline.js';
import type { ReadNode, Statement } from '../read-database.js';
import { rowTypes } from '../row-types.js';
import { PooledQuery } from './pooled-query.js';
import type { PooledClient } from './pooled-client.js';

/** Longest wait for a connection, free or new. */
const WAIT_LIMIT_MS = 2_000;
/** Someone who would wait longer than this is sent away at once. */
const HOPELESS_WAIT_MS = 1_000;
/** How long a lost replica is left alone before one read tries it again. */
const QUARANTINE_MS = 2_000;
/** Of each new service time in the running mean. */
const MEAN_WEIGHT = 0.05;

export interface ReadPoolOptions {
  readonly url: string;
  readonly isReplica: boolean;
  readonly size: number;
  readonly hasNamedStatements: boolean;
  readonly applicationName: string;
}

/** How full a pool is. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * The connections to one server under one database role.
 *
 * The reads run named statements on a client borrowed from the driver's own pool. Through TypeORM's
 * `DataSource.query` the same statement takes a third longer (its query runner, logger and result objects
 * are garbage to collect), it would be parsed and planned anew each time, and it could not be cancelled:
 * TypeORM does not tell which client runs it.
 */
export class ReadPool implements ReadNode {
  readonly isReplica: boolean;
  readonly hasNamedStatements: boolean;
  readonly #pool: Pool;
  readonly #size: number;
  #generation = 0;
  #meanServiceMs = 1;
  #quarantinedUntil = 0;

  constructor(options: ReadPoolOptions) {
    this.isReplica = options.isReplica;
    this.hasNamedStatements = options.hasNamedStatements;
    this.#size = options.size;
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.size,
      connectionTimeoutMillis: WAIT_LIMIT_MS,
      // Kept: a connection costs a server process to make, and plans are kept with it.
      idleTimeoutMillis: 0,
      keepAlive: true,
      application_name: options.applicationName,
      types: rowTypes('text'),
    });
    // Without listeners the death of a connection would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      (client as PooledClient).generation = this.#generation;
    });
  }

  query<Row>(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
    limitMs?: number,
  ): Promise<Row[]> {
    return new Promise<Row[]>((resolve, reject) => {
      new PooledQuery<Row>(this, statement, values, deadline, resolve, reject).start(limitMs);
    });
  }

  /** Lends a client, once there is one that was not made before the server was last lost. */
  borrow(onClient: (error: Error | undefined, client: PooledClient | undefined) => void): void {
    this.#pool.connect((error, client) => {
      if (client && (client as PooledClient).generation !== this.#generation) {
        client.release(true);
        this.borrow(onClient);
        return;
      }
      onClient(error, client as PooledClient | undefined);
    });
  }

  /** Whether one more waiter would wait in vain, as far as recent statements tell. */
  isHopeless(patienceMs: number): boolean {
    const { waitingCount, idleCount, totalCount } = this.#pool;
    if (idleCount > waitingCount || totalCount < this.#size) return false;
    const waitMs = ((waitingCount + 1) * this.#meanServiceMs) / this.#size;
    return waitMs > Math.min(patienceMs, HOPELESS_WAIT_MS);
  }

  /** Takes note of how long a statement kept its connection. */
  observe(serviceMs: number): void {
    this.#meanServiceMs += (serviceMs - this.#meanServiceMs) * MEAN_WEIGHT;
  }

  /** The server answered. */
  confirm(): void {
    if (this.#quarantinedUntil !== 0) this.#quarantinedUntil = 0;
  }

  /** The server was lost: connections made before now may be dead too, and are not lent again. */
  lose(): void {
    this.#generation++;
    this.#quarantinedUntil = performance.now() + QUARANTINE_MS;
  }

  /** False while the server is left alone after a loss. Of those who ask when that ends, one is told true. */
  get isHealthy(): boolean {
    if (this.#quarantinedUntil === 0) return true;
    const now = performance.now();
    if (now < this.#quarantinedUntil) return false;
    this.#quarantinedUntil = now + QUARANTINE_MS;
    return true;
  }

  get state(): PoolState {
    return {
      total: this.#pool.totalCount,
      idle: this.#pool.idleCount,
      waiting: this.#pool.waitingCount,
    };
  }

  /** Closes the connections, those in use when they are given back. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}
