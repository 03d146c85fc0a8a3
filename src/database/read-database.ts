import type { DatabaseOptions } from '../config/settings.js';
import type { ByPrincipalType, PrincipalType } from '../kernel/principal.js';
import { CancellableReads, type PoolState, type ReadNode } from './cancellable-reads.js';
import type { ReadingSource } from './reading-source.js';
import { ServerLost } from './server-lost.js';

/** The data sources of the reads: on the primary, and of deal data on a replica where there is one. */
export interface ReadingSources extends ByPrincipalType<ReadingSource> {
  readonly signIn: ReadingSource;
  readonly replica: ByPrincipalType<ReadingSource> | undefined;
}

/** A replica that was lost is left alone for this time. */
const QUARANTINE_MS = 5_000;
/** Of the deadline: a replica that has not responded by then is given up for the primary. */
const REPLICA_SHARE = 0.25;

/**
 * The databases that the service reads, on TypeORM's data sources. Each principal type reads under a database role of
 * its own, which has no privilege on what that type may not see. A connection that is lost costs a read one more try.
 */
export class ReadDatabase {
  readonly #sources: readonly ReadingSource[];
  readonly #primary: ByPrincipalType<CancellableReads>;
  readonly #replica: ByPrincipalType<CancellableReads> | undefined;
  readonly #signIn: CancellableReads;
  #replicaLostUntil = 0;

  /** @param deadlineMs of a request. */
  constructor(
    { signIn, replica, ...primary }: ReadingSources,
    settings: Pick<DatabaseOptions, 'poolSize' | 'hasNamedStatements'>,
    deadlineMs: number,
  ) {
    const { session, assistant } = primary;
    this.#sources = [session, assistant, signIn, ...Object.values(replica ?? {})];
    const both = (
      sources: ByPrincipalType<ReadingSource>,
      replicaLimitMs?: number,
    ): ByPrincipalType<CancellableReads> => ({
      session: new CancellableReads(sources.session, settings, replicaLimitMs),
      assistant: new CancellableReads(sources.assistant, settings, replicaLimitMs),
    });
    this.#primary = both(primary);
    this.#replica = replica && both(replica, deadlineMs * REPLICA_SHARE);
    this.#signIn = new CancellableReads(signIn, settings);
  }

  /** The primary, for sign-in and health: it has connections of its own, so that slow reads cannot starve it. */
  readonly signIn: ReadNode = {
    isReplica: false,
    query: (statement, values, signal, limitMs) =>
      onceMore(signal, () => this.#signIn.query(statement, values, signal, limitMs)),
  };

  /**
   * Runs `work` on a server for deal data: the replica where there is one, else the primary. When the server is
   * lost on the way, `work` is run once more on the primary; it must only read.
   */
  async read<T>(
    principalType: PrincipalType,
    signal: AbortSignal,
    work: (node: ReadNode) => Promise<T>,
  ): Promise<T> {
    const primary = this.#primary[principalType];
    const replica = this.#replica?.[principalType];
    if (!replica || performance.now() < this.#replicaLostUntil) {
      return onceMore(signal, () => work(primary));
    }
    return onceMore(
      signal,
      () => work(replica),
      () => {
        this.#replicaLostUntil = performance.now() + QUARANTINE_MS;
        return work(primary);
      },
    );
  }

  /** How full the pools are, for the metrics; those of a replica are counted with the primary's. */
  poolStates(): Record<'sign_in' | 'reader' | 'assistant', PoolState> {
    const both = (type: PrincipalType): PoolState =>
      sumOf([this.#primary[type].state, ...(this.#replica ? [this.#replica[type].state] : [])]);
    return { sign_in: this.#signIn.state, reader: both('session'), assistant: both('assistant') };
  }

  /** Connects in the background. @returns when each source has tried once. */
  async open(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.open()));
  }

  /** Closes every connection; nothing can be read afterwards. */
  async close(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close()));
  }
}

/** Tries a second time, on a fresh connection or on another server, what a lost one interrupted. */
async function onceMore<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  again: () => Promise<T> = work,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServerLost) || signal.aborted) throw error;
    return again();
  }
}

function sumOf(states: readonly PoolState[]): PoolState {
  const sum = (part: keyof PoolState): number =>
    states.reduce((total, state) => total + state[part], 0);
  return { total: sum('total'), idle: sum('idle'), waiting: sum('waiting') };
}
