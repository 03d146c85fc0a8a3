import type { DatabaseOptions } from '../config/settings.js';
import type { ByPrincipalType, PrincipalType } from '../kernel/principal.js';
import type { TimeLimits } from '../kernel/time-limits.js';
import { CancellableReader, type ReadNode } from './cancellable-reader.js';
import type { PoolState, ReadDataSource } from './read-data-source.js';
import { ConnectionLostError } from './driver-errors.js';
import { ReadDatabase } from './read-database.js';

type BothSources = ByPrincipalType<ReadDataSource>;

/**
 * The data sources of the reads: on the primary and, for deal data, on a replica if there is one.
 */
export interface ReadDataSources extends BothSources {
  readonly signIn: ReadDataSource;
  readonly replica: BothSources | undefined;
}

/** The pools' names in the metrics. */
type PoolName = 'sign_in' | 'reader' | 'assistant';

/** Milliseconds for which a lost replica is not used. */
const QUARANTINE_MS = 5_000;

/**
 * `ReadDatabase` on the pools of TypeORM's data sources. A read whose connection is lost is retried
 * once.
 */
export class PooledReadDatabase extends ReadDatabase {
  override readonly signIn: ReadNode;
  readonly #primary: ByPrincipalType<ReadNode>;
  readonly #replica: ByPrincipalType<ReadNode> | undefined;
  readonly #pools: [PoolName, ReadDataSource][] = [];
  #replicaLostUntil = 0;

  constructor(
    { signIn, replica, ...primary }: ReadDataSources,
    settings: Pick<DatabaseOptions, 'poolSize' | 'hasNamedStatements'>,
    limits: TimeLimits,
  ) {
    super();
    const createReaders = (sources: BothSources, limitMs?: number): ByPrincipalType<ReadNode> => ({
      session: new CancellableReader(sources.session, settings, limitMs),
      assistant: new CancellableReader(sources.assistant, settings, limitMs),
    });
    this.#primary = createReaders(primary);
    this.#replica = replica && createReaders(replica, limits.replicaMs);
    const reads = new CancellableReader(signIn, settings);
    this.signIn = {
      isReplica: false,
      query: (...args) => retryOnce(args[2], () => reads.query(...args)),
      queryInSequence: (...args) => retryOnce(args[2], () => reads.queryInSequence(...args)),
    };
    this.#pools.push(['sign_in', signIn]);
    for (const { session, assistant } of replica ? [primary, replica] : [primary]) {
      this.#pools.push(['reader', session], ['assistant', assistant]);
    }
  }

  override async read<T>(
    principalType: PrincipalType,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T> {
    const onPrimary = (): Promise<T> => work(this.#primary[principalType]);
    const replica = this.#replica?.[principalType];
    if (!replica || performance.now() < this.#replicaLostUntil) return retryOnce(signal, onPrimary);
    const leaveReplica = (): Promise<T> => {
      this.#replicaLostUntil = performance.now() + QUARANTINE_MS;
      return onPrimary();
    };
    return retryOnce(signal, () => work(replica), leaveReplica);
  }

  override async readOne<T>(
    principalType: PrincipalType,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T | null>,
  ): Promise<T | null> {
    const { row, isFromReplica } = await this.read(principalType, signal, async (node) => ({
      row: await work(node),
      isFromReplica: node.isReplica,
    }));
    if (row !== null || !isFromReplica) return row;
    return retryOnce(signal, () => work(this.#primary[principalType]));
  }

  override readOn<T>(
    node: ReadNode,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T> {
    return retryOnce(signal, () => work(node));
  }

  /** Returns the state of each pool. A replica's pools have the same names as the primary's. */
  poolStates(): (readonly [pool: PoolName, state: PoolState])[] {
    return this.#pools.map(([name, source]) => [name, source.poolState]);
  }

  /**
   * Connects each data source, and retries failed attempts in the background.
   *
   * @returns a promise that resolves when the first attempt of each data source has ended.
   */
  async open(): Promise<void> {
    await Promise.all(this.#pools.map(([, source]) => source.open()));
  }

  /** Closes every connection; no read is possible afterwards. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.map(([, source]) => source.close()));
  }
}

/**
 * Runs `work` a second time, on a fresh connection or another server, when a lost connection
 * interrupted it.
 */
async function retryOnce<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  again: () => Promise<T> = work,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectionLostError) || signal.aborted) throw error;
    return again();
  }
}
