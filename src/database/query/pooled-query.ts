import { AppError } from '../../kernel/app-error.js';
import type { Deadline } from '../../kernel/deadline.js';
import { TimeLimit } from '../../kernel/time-limit.js';
import type { Query } from '../read-database.js';
import { cancelStatement } from './cancel-statement.js';
import type { PooledClient } from './pooled-client.js';
import type { ReadPool } from './read-pool.js';
import { connectFailure, ServerLost, statementFailure } from './server-lost.js';
import { StatementRun } from './statement-run.js';

/** A server that does not take a cancel request within this time is not reachable. */
const CANCEL_LIMIT_MS = 400;
/** A statement that was cancelled ends within this time, unless the request came too early or too late. */
const ENDING_LIMIT_MS = 150;
/** A server that is very busy may get the request before the statement: then it is asked again. */
const CANCEL_TRIES = 4;
/** Of the time that is left: a replica that has not responded by then is given up for another server. */
const REPLICA_SHARE = 0.5;

/**
 * Statements in a pool: they wait for a client, run one after the other on it, and end exactly once. It is an
 * object with callbacks, not an async function, because it is on every request's way: no promise, timer or
 * controller is made that is not needed.
 */
export class PooledQuery {
  #client: PooledClient | undefined;
  #isOver = false;
  #hasEnded = false;
  #onEnded: (() => void) | undefined;
  #startedAt = 0;
  /** Whether another server is asked once this one is given up, within the deadline. */
  #isForAnother = false;
  #limit: TimeLimit | undefined;
  #forgetDeadline: (() => void) | undefined;
  #next: StatementRun | undefined;
  readonly #results: unknown[][] = [];

  constructor(
    private readonly pool: ReadPool,
    private readonly queries: readonly Query[],
    private readonly deadline: Deadline,
    private readonly resolve: (results: unknown[][]) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  /** @param limitMs gives up earlier than the deadline. */
  start(limitMs: number | undefined): void {
    const { deadline, pool } = this;
    if (deadline.reason) {
      this.reject(deadline.reason);
      return;
    }
    const remainingMs = deadline.remainingMs;
    this.#isForAnother = pool.isReplica && limitMs === undefined;
    const ownLimitMs = limitMs ?? (this.#isForAnother ? remainingMs * REPLICA_SHARE : remainingMs);
    const patienceMs = Math.min(ownLimitMs, remainingMs);
    if (pool.isHopeless(patienceMs)) {
      this.reject(new AppError('unavailable', { retryAfterSeconds: 1 }));
      return;
    }
    if (patienceMs < remainingMs) this.#limit = new TimeLimit(patienceMs, this.#giveUp);
    this.#forgetDeadline = deadline.onEnd(this.#giveUp);
    pool.borrow(this.#onClient);
  }

  readonly #onClient = (error: Error | undefined, client: PooledClient | undefined): void => {
    if (this.#isOver) {
      // Too late for this caller, and as good as new for the next.
      client?.release();
      return;
    }
    this.pool.stopWaiting();
    if (!client) {
      const failure = connectFailure(error ?? new Error('no client'));
      if (failure instanceof ServerLost && failure.isGone) this.pool.server.lose();
      this.#end();
      this.reject(failure);
      return;
    }
    this.#client = client;
    this.#startedAt = performance.now();
    this.#next = this.queries.reduceRight<StatementRun | undefined>(
      (next, { statement, values }) =>
        new StatementRun(statement, values, client.prepared, this.#onResult, next),
      undefined,
    );
    this.#runNext(client);
  };

  /** The driver learns of a run when the one before has ended, also of those that it has sent already. */
  #runNext(client: PooledClient): void {
    const run = this.#next;
    this.#next = run?.next;
    if (run) client.query(run);
  }

  readonly #onResult = (error: Error | null, rows: unknown[]): void => {
    if (this.#isOver || !this.#client) {
      // An abandoned client belongs to the cancellation, which destroys it when the last run has ended.
      if (this.#client && this.#next?.isSent) {
        this.#runNext(this.#client);
        return;
      }
      this.#hasEnded = true;
      this.#onEnded?.();
      return;
    }
    this.#results.push(rows);
    if (!error && this.#next) {
      this.#runNext(this.#client);
      return;
    }
    this.#end();
    const { pool } = this;
    pool.observe(performance.now() - this.#startedAt);
    if (!error) {
      this.#client.release();
      pool.server.confirm();
      this.resolve(this.#results);
      return;
    }
    // A connection with a failed statement is not reused.
    this.#client.release(true);
    const failure = statementFailure(error, pool.isReplica);
    if (failure instanceof ServerLost && failure.isGone) pool.server.lose();
    this.reject(failure);
  };

  /** At the deadline, or when the client disconnects: rejects at once and cancels in the background. */
  readonly #giveUp = (reason?: AppError): void => {
    if (this.#isOver) return;
    this.#end();
    this.reject(
      reason ??
        (this.#isForAnother
          ? new ServerLost(new Error('the replica was late'), false)
          : new AppError('unavailable')),
    );
    if (this.#client) void this.#abandon(this.#client);
    else this.pool.stopWaiting();
  };

  async #abandon(client: PooledClient): Promise<void> {
    let hasEnded = false;
    for (let tries = 0; tries < CANCEL_TRIES && !hasEnded; tries++) {
      if (!(await cancelStatement(client, CANCEL_LIMIT_MS))) break;
      hasEnded = await this.#endsSoon();
    }
    this.pool.observe(performance.now() - this.#startedAt);
    if (!hasEnded) this.pool.server.lose();
    client.release(true);
    // A protocol-level goodbye would wait for a server that may be unreachable.
    client.connection.stream.destroy();
  }

  /** Whether the server's last word on the statement arrives, over the connection that ran it. */
  #endsSoon(): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.#hasEnded) {
        resolve(true);
        return;
      }
      const timer = setTimeout(resolve, ENDING_LIMIT_MS, false);
      this.#onEnded = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  #end(): void {
    this.#isOver = true;
    this.#forgetDeadline?.();
    this.#limit?.cancel();
  }
}
