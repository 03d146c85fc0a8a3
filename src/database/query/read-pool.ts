import { Pool } from 'pg';
import type { Deadline } from '../../kernel/deadline.js';
import type { Query, ReadNode, Statement } from '../read-database.js';
import type { DatabaseServer } from './database-server.js';
import { PooledQuery } from './pooled-query.js';
import type { PooledClient } from './pooled-client.js';

/** Longest wait for a connection, free or new. */
const WAIT_LIMIT_MS = 2_000;
/** Someone who would wait longer than this is sent away at once. */
const HOPELESS_WAIT_MS = 1_000;
/** Of each new service time in the running mean. */
const MEAN_WEIGHT = 0.05;

export interface ReadPoolOptions {
  readonly url: string;
  readonly server: DatabaseServer;
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
 * TypeORM does not expose the client that runs it.
 */
export class ReadPool implements ReadNode {
  readonly server: DatabaseServer;
  readonly #pool: Pool;
  readonly #size: number;
  #waiting = 0;
  #meanServiceMs = 1;

  constructor(options: ReadPoolOptions) {
    this.server = options.server;
    this.#size = options.size;
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.size,
      connectionTimeoutMillis: WAIT_LIMIT_MS,
      // Kept: a connection costs a server process to make, and plans are kept with it.
      idleTimeoutMillis: 0,
      keepAlive: true,
      // Sooner than routers and firewalls forget a connection on which nothing is said.
      keepAliveInitialDelayMillis: 30_000,
      application_name: options.applicationName,
    });
    // Without listeners the death of a connection would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      const pooled = client as PooledClient;
      pooled.generation = this.server.generation;
      if (options.hasNamedStatements) pooled.prepared = new Map();
    });
  }

  get isReplica(): boolean {
    return this.server.isReplica;
  }

  query<Row>(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
    limitMs?: number,
  ): Promise<Row[]> {
    return new Promise<Row[]>((resolve, reject) => {
      const done = ([rows]: unknown[][]): void => resolve(rows as Row[]);
      new PooledQuery(this, [{ statement, values }], deadline, done, reject).start(limitMs);
    });
  }

  queryAll<Rows extends readonly unknown[][]>(
    queries: readonly Query[],
    deadline: Deadline,
  ): Promise<Rows> {
    return new Promise<Rows>((resolve, reject) => {
      const done = (rows: unknown[][]): void => resolve(rows as unknown as Rows);
      new PooledQuery(this, queries, deadline, done, reject).start(undefined);
    });
  }

  /**
   * Lends a client that was connected after the server was last lost. The caller reports the end of its
   * wait with `stopWaiting`, with or without a client.
   */
  borrow(onClient: (error: Error | undefined, client: PooledClient | undefined) => void): void {
    this.#waiting++;
    this.#connect(onClient);
  }

  stopWaiting(): void {
    this.#waiting--;
  }

  #connect(onClient: (error: Error | undefined, client: PooledClient | undefined) => void): void {
    this.#pool.connect((error, client) => {
      if (client && (client as PooledClient).generation !== this.server.generation) {
        client.release(true);
        this.#connect(onClient);
        return;
      }
      onClient(error, client as PooledClient | undefined);
    });
  }

  /** Whether one more waiter would probably time out, estimated from recent statements. */
  isHopeless(patienceMs: number): boolean {
    const { idleCount, totalCount } = this.#pool;
    if (idleCount > this.#waiting || totalCount < this.#size) return false;
    // Not the driver's count: its queue still holds those who have given up.
    const waitMs = ((this.#waiting + 1) * this.#meanServiceMs) / this.#size;
    return waitMs > Math.min(patienceMs, HOPELESS_WAIT_MS);
  }

  /** Takes note of how long a statement kept its connection. */
  observe(serviceMs: number): void {
    this.#meanServiceMs += (serviceMs - this.#meanServiceMs) * MEAN_WEIGHT;
  }

  get state(): PoolState {
    return {
      total: this.#pool.totalCount,
      idle: this.#pool.idleCount,
      waiting: this.#waiting,
    };
  }

  /** Closes the connections, those in use when they are given back. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}
