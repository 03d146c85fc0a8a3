import type { Deadline } from '../../kernel/deadline.js';
import type { ReadNode, Statement } from '../read-database.js';
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

  async query<Row>(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
    limitMs = deadline.remainingMs,
  ): Promise<Row[]> {
    const startedAt = performance.now();
    try {
      return await this.node.query<Row>(statement, values, deadline, limitMs);
    } catch (error) {
      const remainingMs = limitMs - (performance.now() - startedAt);
      if (!(error instanceof ServerLost) || remainingMs <= 0) throw error;
      return this.node.query<Row>(statement, values, deadline, remainingMs);
    }
  }
}
