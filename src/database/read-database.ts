import type { Deadline } from '../kernel/deadline.js';
import type { PrincipalType } from '../kernel/principal.js';

/**
 * One SQL statement of the service, with a name under which the server keeps its plan.
 * The text never holds a value: values travel as parameters.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement with the values of its parameters. */
export interface Query {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** A database server that a read goes to. */
export interface ReadNode {
  /** True on a read replica: it may lag, and it knows nothing of the primary's locks. */
  readonly isReplica: boolean;
  /**
   * Runs one statement in a transaction of its own.
   *
   * Rejects with `unavailable` when the deadline passes or the server cannot be reached, and then
   * the server stops working on it. Any other error is a defect and is passed on as it came.
   * `bigint` values arrive as numbers, a `timestamptz` as text (ISO 8601 in UTC, three decimals), and a
   * column named `car.year` as the member `year` of the row's `car`.
   *
   * @param limitMs gives up earlier than the deadline.
   */
  query<Row>(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
    limitMs?: number,
  ): Promise<Row[]>;

  /**
   * Runs statements in order, each in a transaction of its own, the next when the one before has ended. They
   * are sent together: all of them cost one round trip. Rejects as `query` does, with the first failure.
   *
   * @returns the rows of each.
   */
  queryAll<Rows extends readonly unknown[][]>(
    queries: readonly Query[],
    deadline: Deadline,
  ): Promise<Rows>;
}

/**
 * The databases that the service reads. Each principal type reads under a database role of its own,
 * which has no privilege on what that type may not see.
 */
export abstract class ReadDatabase {
  /**
   * Runs `work` on a server for deal data: a replica where there are any, else the primary. When the
   * server is lost on the way, `work` is run once more on another; it must only read.
   */
  abstract read<T>(
    principalType: PrincipalType,
    deadline: Deadline,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T>;

  /**
   * The primary, for sign-in: it has connections of its own, so that slow reads cannot starve it. For look-ups
   * by key only: those that wait are sent together, and each waits for the ones before it.
   */
  abstract readonly signIn: ReadNode;

  /** The primary, over the connections of sign-in, for the service's own statements of any other kind. */
  abstract readonly primary: ReadNode;
}
