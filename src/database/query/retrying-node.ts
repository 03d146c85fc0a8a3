import type { Deadline } from '../../kernel/deadline.js';
import type { Query, ReadNode, Statement } from '../read-database.js';
import { ServerLost } from './server-lost.js';

/**
 * A server that no other may replace: the only one of its kind, or the one that served what a second
 * statement belongs to. What a lost connection interrupted is tried once more on a fresh one.
 */
export class RetryingNode implements ReadNode {
  constructor(private readonly node: ReadNode) {}

  get isReplica(): boolean {
    return this.node.isReplica;
  }

  query<Row>(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
    limitMs = deadline.remainingMs,
  ): Promise<Row[]> {
    return this.#tryTwice(limitMs, (remainingMs) =>
      this.node.query<Row>(statement, values, deadline, remainingMs),
    );
  }

  queryAll<Rows extends readonly unknown[][]>(
    queries: readonly Query[],
    deadline: Deadline,
  ): Promise<Rows> {
    return this.#tryTwice(deadline.remainingMs, () => this.node.queryAll<Rows>(queries, deadline));
  }

  async #tryTwice<T>(limitMs: number, work: (remainingMs: number) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work(limitMs);
    } catch (error) {
      const remainingMs = limitMs - (performance.now() - startedAt);
      if (!(error instanceof ServerLost) || remainingMs <= 0) throw error;
      return work(remainingMs);
    }
  }
}
