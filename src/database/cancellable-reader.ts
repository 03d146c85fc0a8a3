import type { QueryConfig } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../config/settings.js';
import { AppError } from '../kernel/app-error.js';
import { TimeLimitError, untilAborted, withTimeLimit } from '../kernel/time-limit.js';
import { cancelStatement, type CancellableClient } from './cancel-statement.js';
import type { ReadDataSource } from './read-data-source.js';
import { connectFailure, ConnectionLostError, statementFailure } from './driver-errors.js';

/**
 * One SQL statement, and the type of its rows. Its text never contains a value: values are passed
 * as parameters.
 */
export interface Statement<Row = unknown> {
  /**
   * The name under which each connection keeps the plan. A host application's statement has none.
   */
  readonly name?: string;
  readonly text: string;
  /** Carries the type of the rows; never set. */
  readonly row?: Row;
}

/** A statement with the values of its parameters. */
export interface BoundStatement<Row = unknown> {
  readonly statement: Statement<Row>;
  readonly values: readonly unknown[];
}

/** A database server that serves reads. */
export interface ReadNode {
  /**
   * Whether it is a read replica. A replica may lag, and its locks are not those of the primary.
   */
  readonly isReplica: boolean;
  /**
   * Runs one statement in its own transaction.
   *
   * `bigint` values are returned as numbers, and `timestamptz` values as text (ISO 8601 in UTC,
   * three decimals).
   *
   * @param signal when it is aborted, the statement is cancelled on the server.
   * @throws the signal's reason when it is aborted; {@link AppError} `unavailable` when the server
   *   cannot be reached. Any other error is a defect and is passed on unchanged.
   */
  query<Row>(
    statement: Statement<Row>,
    values: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Row[]>;

  /**
   * Runs two statements in one round trip: both are sent at once, on one connection, and the server
   * runs them one after the other, each in its own transaction. The second sees what was committed
   * before the first ended.
   *
   * @throws as `query`.
   */
  queryInSequence<First, Second>(
    first: BoundStatement<First>,
    second: BoundStatement<Second>,
    signal: AbortSignal,
  ): Promise<readonly [First[], Second[]]>;
}

/**
 * The number of reads that may wait, per connection of `poolSize`. Further reads fail at once. As
 * many look-ups of sign-in may wait, although their pool is smaller, because they are shorter.
 */
const WAITING_PER_CONNECTION = 20;
/**
 * Time in milliseconds after which a server that has not accepted a cancel request counts as
 * unreachable. A server on a busy machine needs a second to start the process that accepts it.
 */
const CANCEL_LIMIT_MS = 2_000;
/**
 * The time in milliseconds within which a cancelled statement ends, unless the cancel request
 * arrived before the statement.
 */
const ENDING_LIMIT_MS = 150;
/**
 * The maximum number of cancel requests. A busy server may receive a cancel request before the
 * statement, so the cancel request is repeated.
 */
const CANCEL_TRIES = 4;

/**
 * Runs statements on the connections of a data source so that they can be cancelled, which the data
 * source's own `query` does not support.
 */
export class CancellableReader implements ReadNode {
  /**
   * @param replicaLimitMs only for a replica: milliseconds after which a read is moved to the
   *   primary.
   */
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
    const [rows] = await this.#runInTime([{ statement, values }], signal);
    return rows as Row[];
  }

  async queryInSequence<First, Second>(
    first: BoundStatement<First>,
    second: BoundStatement<Second>,
    signal: AbortSignal,
  ): Promise<readonly [First[], Second[]]> {
    const [firstRows, secondRows] = await this.#runInTime([first, second], signal);
    return [firstRows as First[], secondRows as Second[]];
  }

  /**
   * Runs the statements. On a replica, they must finish within the replica's time limit.
   *
   * @returns the rows of each statement.
   */
  async #runInTime(
    statements: readonly BoundStatement[],
    signal: AbortSignal,
  ): Promise<readonly unknown[][]> {
    signal.throwIfAborted();
    const queries = statements.map(({ statement: { name, text }, values }): QueryConfig => {
      const query = { text, values: [...values] };
      return this.options.hasNamedStatements && name !== undefined ? { name, ...query } : query;
    });
    const run = (limit: AbortSignal): Promise<readonly unknown[][]> => this.#run(queries, limit);
    if (this.replicaLimitMs === undefined) return run(signal);
    try {
      return await withTimeLimit(this.replicaLimitMs, signal, run);
    } catch (error) {
      throw error instanceof TimeLimitError ? new ConnectionLostError(error) : error;
    }
  }

  async #run(queries: readonly QueryConfig[], signal: AbortSignal): Promise<readonly unknown[][]> {
    const borrowing = this.#borrow();
    const [client, release] = await untilAborted(signal, borrowing, () => {
      // The caller no longer waits. The connection is unused and goes back to the pool.
      borrowing.then(([, giveBack]) => giveBack()).catch(() => undefined);
    });
    // Read connections use the driver's pipeline mode, which sends each statement without waiting
    // for the results of earlier ones.
    const running = queries.map((query) => client.query<object>(query));
    let end = release;
    try {
      const results = await untilAborted(signal, Promise.all(running), () => {
        end = () => undefined;
        void abandon(client, release, running);
      });
      end();
      return results.map(({ rows }) => rows);
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

/**
 * Cancels the statements and ends the connection, because a late cancel request would hit the next
 * statement on it.
 */
async function abandon(
  client: CancellableClient,
  release: (isBroken: boolean) => void,
  running: readonly Promise<unknown>[],
): Promise<void> {
  // The server runs every statement that was sent, so each one may have to be cancelled.
  const ended = Promise.allSettled(running).then(() => true);
  for (let tries = 0; tries < CANCEL_TRIES; tries += 1) {
    if (!(await cancelStatement(client, CANCEL_LIMIT_MS))) break;
    if (await Promise.race([ended, sleep(ENDING_LIMIT_MS, false)])) break;
  }
  release(true);
  // The socket is destroyed, because ending the connection through the protocol would wait for a
  // server that may be unreachable.
  client.connection.stream.destroy();
}
