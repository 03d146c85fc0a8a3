import type { QueryConfig, QueryResult } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../config/settings.js';
import { AppError } from '../kernel/app-error.js';
import { TimeLimitError, untilAborted, withTimeLimit } from '../kernel/time-limit.js';
import { cancelStatement, type CancellableClient } from './cancel-statement.js';
import type { ReadDataSource } from './read-data-source.js';
import { connectFailure, ConnectionLostError, statementFailure } from './connection-lost-error.js';

/** One SQL statement, and the type of its rows. The text never holds a value: values travel as parameters. */
export interface Statement<Row = unknown> {
  /** Under this name each connection keeps the plan; absent on a statement of a host application. */
  readonly name?: string;
  readonly text: string;
  /** Carries the type of the rows; never set. */
  readonly row?: Row;
}

/** A database server that a read goes to. */
export interface ReadNode {
  /** True on a read replica: it may lag, and it knows nothing of the primary's locks. */
  readonly isReplica: boolean;
  /**
   * Runs one statement in a transaction of its own.
   *
   * Rejects with the signal's reason when that is aborted, with `unavailable` when the server cannot be reached, and then
   * the server stops working on it. Any other error is a defect and is passed on as it came.
   * `bigint` values arrive as numbers, a `timestamptz` as text (ISO 8601 in UTC, three decimals).
   */
  query<Row>(
    statement: Statement<Row>,
    values: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Row[]>;
}

/** Reads that may wait for each connection of the pool; further ones are turned away at once. */
const WAITING_PER_CONNECTION = 20;
/** A server that does not take a cancel request within this time is not reachable. */
const CANCEL_LIMIT_MS = 400;
/** A statement that was cancelled ends within this time, unless the request came too early. */
const ENDING_LIMIT_MS = 150;
/** A server that is very busy may get the request before the statement: then it is asked again. */
const CANCEL_TRIES = 4;

/** Statements on the connections of a data source, whose own `query` cannot be cancelled. */
export class CancellableQueryRunner implements ReadNode {
  /** @param replicaLimitMs of a replica: after so many milliseconds a read is given up for the primary. */
  constructor(
    private readonly source: ReadDataSource,
    private readonly options: Pick<DatabaseOptions, 'poolSize' | 'hasNamedStatements'>,
    private readonly replicaLimitMs?: number,
  ) {}

  get isReplica(): boolean {
    return this.replicaLimitMs !== undefined;
  }

  async query<Row>(
    statement: Statement<Row>,
    values: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Row[]> {
    signal.throwIfAborted();
    const { name, text } = statement;
    const named = this.options.hasNamedStatements ? { name } : {};
    const query = { ...named, text, values: [...values] };
    const run = (limit: AbortSignal): Promise<Row[]> => this.#run<Row>(query, limit);
    if (this.replicaLimitMs === undefined) return run(signal);
    try {
      return await withTimeLimit(this.replicaLimitMs, signal, run);
    } catch (error) {
      throw error instanceof TimeLimitError ? new ConnectionLostError(error) : error;
    }
  }

  async #run<Row>(query: QueryConfig, signal: AbortSignal): Promise<Row[]> {
    const borrowing = this.#borrow();
    const [client, release] = await untilAborted(signal, borrowing, () => {
      // Too late for this caller, and as good as new for the next.
      borrowing.then(([, giveBack]) => giveBack()).catch(() => undefined);
    });
    const running = client.query(query);
    let end = release;
    try {
      const { rows } = await untilAborted(signal, running, () => {
        end = () => undefined;
        void abandon(client, release, running);
      });
      end();
      return rows as Row[];
    } catch (error) {
      // A connection with a failed statement is not used again.
      end(true);
      throw statementFailure(error as Error, this.isReplica);
    }
  }

  async #borrow(): ReturnType<ReadDataSource['obtainClient']> {
    if (this.source.poolState.waiting >= WAITING_PER_CONNECTION * this.options.poolSize) {
      throw new AppError('unavailable', { retryAfterSeconds: 1 });
    }
    try {
      return await this.source.obtainClient();
    } catch (error) {
      throw connectFailure(error as Error);
    }
  }
}

/** Ends the connection as well: a cancel request that arrives late would meet the next statement on it. */
async function abandon(
  client: CancellableClient,
  release: (isBroken: boolean) => void,
  running: Promise<QueryResult>,
): Promise<void> {
  const ended = running.catch(() => undefined).then(() => true);
  for (let tries = 0; tries < CANCEL_TRIES; tries += 1) {
    if (!(await cancelStatement(client, CANCEL_LIMIT_MS))) break;
    if (await Promise.race([ended, sleep(ENDING_LIMIT_MS, false)])) break;
  }
  release(true);
  // A protocol-level goodbye would wait for a server that may be unreachable.
  client.connection.stream.destroy();
}
