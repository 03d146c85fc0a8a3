import { AppError } from '../../kernel/app-error.js';
import { Deadline } from '../../kernel/deadline.js';
import { TimeLimit } from '../../kernel/time-limit.js';
import type { Query, ReadNode, Statement } from '../read-database.js';
import { ServerLost } from './server-lost.js';

/** Look-ups that are sent together at most. */
const BATCH_SIZE = 32;
/** A batch that takes longer is not waited for while another connection is free. */
const PATIENCE_MS = 10;

/**
 * Look-ups by key, sent in batches: one is sent at once when none is under way; those that come meanwhile wait
 * for its end and are sent together, on one connection and in one packet, each in a transaction of its own. A
 * busy service then wakes the database's process once for several requests: a good part of what a look-up costs,
 * because its rows cost next to nothing.
 *
 * For statements that take microseconds only: each waits for those before it in its batch. A look-up ends by its
 * own limit and deadline; the batch is cancelled on the server when none of its look-ups is waited for.
 */
export class BatchingNode implements ReadNode {
  #waiting: LookUp[] = [];
  #underWay = 0;
  #patience: NodeJS.Timeout | undefined;

  /** @param connections that `node` has: as many batches are under way at most. */
  constructor(
    private readonly node: ReadNode,
    private readonly connections: number,
  ) {}

  get isReplica(): boolean {
    return this.node.isReplica;
  }

  /** Look-ups that have not been sent. */
  get waiting(): number {
    return this.#waiting.reduce((count, { isOver }) => (isOver ? count : count + 1), 0);
  }

  query<Row>(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
    limitMs = deadline.remainingMs,
  ): Promise<Row[]> {
    return new Promise<Row[]>((resolve, reject) => {
      if (deadline.reason) {
        reject(deadline.reason);
        return;
      }
      const done = (rows: unknown[]): void => resolve(rows as Row[]);
      this.#waiting.push(new LookUp({ statement, values }, deadline, limitMs, done, reject));
      if (this.#underWay === 0) this.#send();
      else if (this.#underWay < this.connections) {
        this.#patience ??= setTimeout(this.#send, PATIENCE_MS);
      }
    });
  }

  queryAll<Rows extends readonly unknown[][]>(
    queries: readonly Query[],
    deadline: Deadline,
  ): Promise<Rows> {
    return this.node.queryAll<Rows>(queries, deadline);
  }

  readonly #send = (): void => {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    const waiting = this.#waiting.filter(({ isOver }) => !isOver);
    const batch = waiting.slice(0, BATCH_SIZE);
    this.#waiting = waiting.slice(BATCH_SIZE);
    if (batch.length === 0) return;

    const deadline = new Deadline(Math.max(...batch.map(({ remainingMs }) => remainingMs)));
    const interest = new Interest(batch.length, deadline);
    for (const lookUp of batch) lookUp.interest = interest;
    this.#underWay += 1;
    const ended = (settle: (lookUp: LookUp, place: number) => void): void => {
      deadline.finish();
      this.#underWay -= 1;
      batch.forEach(settle);
      if (this.#waiting.length > 0) this.#send();
    };
    this.node
      .queryAll<unknown[][]>(
        batch.map(({ query }) => query),
        deadline,
      )
      .then(
        (results) => ended((lookUp, place) => lookUp.succeed(results[place])),
        (reason: unknown) => ended((lookUp) => this.#onFailure(lookUp, reason, batch.length)),
      );
  };

  /** A statement's own failure says nothing of the others in its batch: each is asked alone. */
  #onFailure(lookUp: LookUp, reason: unknown, size: number): void {
    const error = reason instanceof Error ? reason : new Error('a look-up failed without an error');
    const isOfAll = error instanceof ServerLost || error instanceof AppError;
    if (lookUp.isOver || isOfAll || size === 1) {
      lookUp.fail(error);
      return;
    }
    const { query, deadline, remainingMs } = lookUp;
    this.node
      .query(query.statement, query.values, deadline, remainingMs)
      .then(lookUp.succeed, lookUp.fail);
  }
}

/**
 * How many look-ups of a batch are still waited for; without any, it is cancelled. It knows none of them, so that
 * one which is not collected yet keeps no other: a closure would share its variables with the batch.
 */
class Interest {
  constructor(
    private count: number,
    private readonly deadline: Deadline,
  ) {}

  lose(): void {
    this.count -= 1;
    if (this.count === 0) this.deadline.end();
  }
}

/** One caller's look-up. It ends once: with its rows, a failure, its limit or its deadline. */
class LookUp {
  isOver = false;
  /** Of its batch, once that is sent. */
  interest: Interest | undefined;
  readonly #endsAt: number;
  readonly #limit: TimeLimit;
  readonly #forgetDeadline: () => void;

  constructor(
    readonly query: Query,
    readonly deadline: Deadline,
    limitMs: number,
    private readonly resolve: (rows: unknown[]) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.#endsAt = performance.now() + limitMs;
    this.#limit = new TimeLimit(limitMs, this.#giveUp);
    this.#forgetDeadline = deadline.onEnd(this.#giveUp);
  }

  /** Milliseconds, at least one. */
  get remainingMs(): number {
    return Math.max(1, this.#endsAt - performance.now());
  }

  readonly succeed = (rows: unknown[] | undefined): void => {
    if (this.isOver) return;
    // Never taken for no rows: that would say that a credential is unknown.
    if (!rows) {
      this.fail(new Error('a look-up of a batch has no result'));
      return;
    }
    this.#end();
    this.resolve(rows);
  };

  readonly fail = (error: Error): void => {
    if (this.isOver) return;
    this.#end();
    this.reject(error);
  };

  readonly #giveUp = (reason = new AppError('unavailable')): void => {
    this.fail(reason);
    this.interest?.lose();
  };

  #end(): void {
    this.isOver = true;
    this.#limit.cancel();
    this.#forgetDeadline();
  }
}
