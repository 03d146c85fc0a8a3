import {
  DealSetsClient,
  DealSetsError,
  type DealSetResult,
  type ListEntry,
  type PollBatch,
} from '@deal-sets/client';
import type { Who } from './compare.js';
import { Recorder, type Exchange } from './exchanges.js';

/** The path of the list endpoint. */
export const LIST_PATH = '/api/v1/deal-sets';
const POLL_EVERY_MS = 2_000;

/** The reason why a side cannot be read. */
export interface Problem {
  readonly code: string;
  /** The HTTP status; 0 if there was no HTTP response. */
  readonly status: number;
  /** The time of the next attempt in epoch milliseconds; null if there is none. */
  readonly untilMs: number | null;
}

/** Returns the id of an entry's request. */
export const entryId = (entry: ListEntry): string =>
  entry.kind === 'deal_set' ? entry.dealSetId : entry.id;

/** Callbacks of a side. */
export interface SideEvents {
  readonly onBatch: (side: Side, batch: PollBatch) => void;
  /** Called when `problem` is set or cleared. */
  readonly onProblem: (side: Side) => void;
}

/** One of the two principals: the buyer's session, or the assistant with its access token. */
export class Side {
  /** The newest entry of each request. */
  readonly entries = new Map<string, ListEntry>();
  result: DealSetResult | null = null;
  problem: Problem | undefined;
  /** Whether the latest read of a deal set failed, so that `result` may be out of date. */
  isStale = false;
  /** Whether every request has been read at least once. */
  hasRead = false;
  readonly #client: DealSetsClient;
  readonly #recorder: Recorder;
  #poll: AbortController | undefined;
  /** The number of reads of deal sets that were started, and the one whose result is kept. */
  #reads = { started: 0, kept: 0 };

  constructor(
    readonly who: Who,
    private readonly events: SideEvents,
    accessToken?: () => string,
  ) {
    this.#recorder = new Recorder(who);
    this.#client = new DealSetsClient({
      baseUrl: '/',
      accessToken,
      fetch: this.#recorder.fetch,
      onRetry: (error, waitMs) => this.#fail(error, Date.now() + waitMs),
    });
  }

  /** Returns the latest HTTP exchange of a path. */
  exchange(path: string): Exchange | undefined {
    return this.#recorder.latest(path);
  }

  /** Reads every request, then follows the changes until `stop`. */
  async follow(): Promise<void> {
    this.stop();
    const poll = new AbortController();
    this.#poll = poll;
    const { signal } = poll;
    try {
      const { data: all, response } = await this.#client.readAll({ signal }).withResponse();
      this.#keep(all.entries);
      this.hasRead = true;
      this.#recover();
      this.events.onBatch(this, { ...all, since: '', more: false, response });
      const options = { since: all.asOf, everyMs: POLL_EVERY_MS, signal };
      for await (const batch of this.#client.poll(options)) {
        this.#keep(batch.entries);
        this.#recover();
        this.events.onBatch(this, batch);
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(error, null);
    }
  }

  /** Aborts the poll and every read in progress. */
  stop(): void {
    this.#poll?.abort();
  }

  /**
   * Reads one deal set. A failure is stored in `problem` and `isStale`, unless `stop` caused it.
   */
  async read(id: string): Promise<void> {
    const signal = this.#poll?.signal;
    const turn = (this.#reads.started += 1);
    try {
      const result = await this.#client.get(id, { signal });
      // Responses can arrive in another order than that of their requests.
      if (turn < this.#reads.kept) return;
      this.#reads.kept = turn;
      this.result = result;
      this.isStale = false;
      this.#recover();
    } catch (error) {
      if (signal?.aborted) return;
      this.isStale = true;
      this.#fail(error, null);
    }
  }

  #keep(entries: readonly ListEntry[]): void {
    for (const entry of entries) this.entries.set(entryId(entry), entry);
  }

  #fail(error: unknown, untilMs: number | null): void {
    const known = error instanceof DealSetsError ? error : undefined;
    this.problem = { code: known?.code ?? 'error', status: known?.status ?? 0, untilMs };
    if (known?.status === 401) {
      this.stop();
      this.result = null;
      this.entries.clear();
    }
    this.events.onProblem(this);
  }

  #recover(): void {
    if (this.problem === undefined) return;
    this.problem = undefined;
    this.events.onProblem(this);
  }
}
