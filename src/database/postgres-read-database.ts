import type { DatabaseOptions } from '../config/settings.js';
import type { Deadline } from '../kernel/deadline.js';
import { PRINCIPAL_TYPES, type PrincipalType } from '../kernel/principal.js';
import { ReadDatabase, type ReadNode } from './read-database.js';
import { BatchingNode } from './query/batching-node.js';
import { DatabaseServer } from './query/database-server.js';
import { ReadNodes } from './query/read-nodes.js';
import { ReadPool, type PoolState } from './query/read-pool.js';
import { readingUrl } from './query/reading-urls.js';
import { RetryingNode } from './query/retrying-node.js';
import { ServerLost } from './query/server-lost.js';

export type PoolName = 'sign_in' | 'reader' | 'assistant';

/**
 * One keeps up with all the reads, because look-ups that wait are sent together; the other is for when that one
 * is slow. With more, a look-up could find a connection while those that went silent are still being given up,
 * and its read would be the one that discovers that its own are silent too.
 */
const SIGN_IN_CONNECTIONS = 2;

/**
 * The reads on PostgreSQL: on the primary one pool for sign-in and one for each reading role, on each
 * replica one for each reading role. A server that is lost costs a read one more try.
 */
export class PostgresReadDatabase extends ReadDatabase {
  readonly signIn: ReadNode;
  readonly primary: ReadNode;
  readonly #signInPool: ReadPool;
  readonly #lookUps: BatchingNode;
  readonly #nodes: Readonly<Record<PrincipalType, ReadNodes>>;

  /** @param settings with the primary's address known. */
  constructor(settings: DatabaseOptions & { readonly url: string }) {
    super();
    const { url, hasNamedStatements, poolSize, replicaUrls } = settings;
    const primary = new DatabaseServer(url, false);
    const replicas = replicaUrls.map((replicaUrl) => new DatabaseServer(replicaUrl, true));
    const pool = (
      server: DatabaseServer,
      type: PrincipalType,
      size: number,
      purpose: string,
    ): ReadPool =>
      new ReadPool({
        server,
        url: readingUrl(server.url, type, settings),
        size,
        hasNamedStatements,
        applicationName: `deal-sets ${purpose}`,
      });
    const nodes = (type: PrincipalType): ReadNodes =>
      new ReadNodes(
        pool(primary, type, poolSize, `${type} reads`),
        replicas.map((replica) => pool(replica, type, poolSize, `${type} reads`)),
      );
    this.#nodes = { session: nodes('session'), assistant: nodes('assistant') };
    this.#signInPool = pool(primary, 'session', SIGN_IN_CONNECTIONS, 'sign-in');
    this.#lookUps = new BatchingNode(this.#signInPool, SIGN_IN_CONNECTIONS);
    this.signIn = new RetryingNode(this.#lookUps);
    this.primary = new RetryingNode(this.#signInPool);
  }

  override async read<T>(
    principalType: PrincipalType,
    deadline: Deadline,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T> {
    const nodes = this.#nodes[principalType];
    const node = nodes.pick();
    try {
      return await work(node);
    } catch (error) {
      if (!(error instanceof ServerLost) || deadline.reason) throw error;
      return work(nodes.pick(node));
    }
  }

  /** How full the pools are, for the metrics; those of replicas are counted with the primary's. */
  poolStates(): Record<PoolName, PoolState> {
    const signIn = this.#signInPool.state;
    return {
      sign_in: { ...signIn, waiting: signIn.waiting + this.#lookUps.waiting },
      reader: sum(this.#nodes.session),
      assistant: sum(this.#nodes.assistant),
    };
  }

  /** Closes every connection; nothing can be read afterwards. */
  async close(): Promise<void> {
    const pools = PRINCIPAL_TYPES.flatMap((type) => this.#nodes[type].all);
    await Promise.all([this.#signInPool, ...pools].map((pool) => pool.close()));
  }
}

function sum(nodes: ReadNodes): PoolState {
  return nodes.all
    .map((pool) => pool.state)
    .reduce((a, b) => ({
      total: a.total + b.total,
      idle: a.idle + b.idle,
      waiting: a.waiting + b.waiting,
    }));
}
