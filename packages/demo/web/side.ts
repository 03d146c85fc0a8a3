import {
  DealSetsClient,
  DealSetsError,
  type DealSetResult,
  type ListEntry,
  type PollBatch,
} from '@deal-sets/client';
import type { Who } from './compare.js';
import { Recorder, type Exchange } from './exchanges.js';

export const LIST_PATH = '/api/v1/deal-sets';
const POLL_EVERY_MS = 2_000;

/** Why a side cannot be read. `untilMs` is when it is tried again, or null. */
export interface Problem {
  readonly code: string;
  readonly status: number;
  readonly untilMs: number | null;
}

export const entryId = (entry: ListEntry): string =>
  entry.kind === 'deal_set' ? entry.dealSetId : entry.id;

export interface SideEvents {
  readonly onBatch: (side: Side, batch: PollBatch) => void;
  readonly onProblem: (side: Side) => void;
}

/** One of the two principals: the buyer's session, or the assistant with its access token. */
export class Side {
  /** The newest entry of each request. */
  readonly entries = new Map<string, ListEntry>();
  result: DealSetResult | null = null;
  problem: Problem | undefined;
  /** Whether every request has been read at least once. */
  hasRead = false;
  readonly #client: DealSetsClient;
  readonly #recorder: Recorder;
  #poll: AbortController | undefined;

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

  stop(): void {
    this.#poll?.abort();
  }

  /** Reads one deal set, unless `stop` comes first. A failure becomes the problem. */
  async read(id: string): Promise<void> {
    const signal = this.#poll?.signal;
    try {
      this.result = await this.#client.get(id, { signal });
      this.#recover();
    } catch (error) {
      if (!signal?.aborted) this.#fail(error, null);
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
