import type { Provider } from '@nestjs/common';
import {
  DealSetReads,
  DealSetsService,
  type Deadline,
  type DealSetRead,
  type ListCall,
  type ListRead,
  type Principal,
} from '../../src/index.js';

/** Keeps every result, as JSON, under a key of its call. */
class CachedReads extends DealSetReads {
  readonly #results = new Map<string, string>();
  hits = 0;

  constructor(
    private readonly reads: DealSetReads,
    private readonly keyOf: (principal: Principal) => unknown,
  ) {
    super();
  }

  override list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    const key = [this.keyOf(principal), call];
    return this.#cached(key, () => this.reads.list(principal, call, deadline));
  }

  override get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    const key = [this.keyOf(principal), id];
    return this.#cached(key, () => this.reads.get(principal, id, deadline));
  }

  async #cached<Result>(keys: unknown, read: () => Promise<Result>): Promise<Result> {
    const key = JSON.stringify(keys);
    const known = this.#results.get(key);
    if (known !== undefined) {
      this.hits += 1;
      return JSON.parse(known) as Result;
    }
    const result = await read();
    this.#results.set(key, JSON.stringify(result));
    return result;
  }
}

/**
 * A cache of a host application in front of the reads.
 *
 * @param keyOf returns the part of the key that identifies the caller.
 */
export const cachedReads = (keyOf: (principal: Principal) => unknown): Provider => ({
  provide: DealSetReads,
  useFactory: (reads: DealSetsService) => new CachedReads(reads, keyOf),
  inject: [DealSetsService],
});

/** Returns how often the cache of an application had a result. */
export function hitsOf(reads: DealSetReads): number {
  return (reads as CachedReads).hits;
}
