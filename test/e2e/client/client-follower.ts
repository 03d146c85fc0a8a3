import type { DealSetsClient, PollBatch } from '../../../packages/client/src/index.js';
import type { FeedFollower, FollowerOptions } from '../feed/feed-property.js';
import { EPOCH, keyOf, type Entry, type FeedBuyer } from '../feed/feed-world.js';
import { clientOf } from './client-of.js';

/** An application that follows the feed with the package's client, as its README shows. */
export class ClientFollower implements FeedFollower {
  readonly known = new Map<string, Entry>();
  readonly buyer: FeedBuyer;
  polls = 0;
  /** Unchanged entries that the client yielded again; it should filter them all. */
  repeated = 0;
  readonly #client: DealSetsClient;
  #since = EPOCH;

  constructor({ world, buyer, as }: FollowerOptions) {
    this.buyer = buyer;
    this.#client = clientOf(world.service.url, buyer[as]);
  }

  follow(isOver: () => boolean): Promise<void> {
    return this.#poll(isOver);
  }

  /** Resumes from the saved time, as after a restart. */
  drain(): Promise<void> {
    return this.#poll(() => true);
  }

  async readAll(): Promise<Map<string, Entry>> {
    const { entries } = await this.#client.readAll();
    return new Map(
      (entries as readonly unknown[] as readonly Entry[]).map((entry) => [keyOf(entry), entry]),
    );
  }

  /** Polls until nothing remains and the condition holds. */
  async #poll(isOver: () => boolean): Promise<void> {
    const seen = new Map<string, string>();
    for await (const batch of this.#client.poll({ since: this.#since, everyMs: 50 })) {
      this.#handle(batch, seen);
      this.#since = batch.asOf;
      if (!batch.more && isOver()) return;
    }
  }

  #handle({ entries, skipped }: PollBatch, seen: Map<string, string>): void {
    this.polls += 1;
    expect(skipped).toBe(0);
    for (const entry of entries as readonly unknown[] as readonly Entry[]) {
      const content = JSON.stringify(entry);
      if (seen.get(keyOf(entry)) === content) this.repeated += 1;
      seen.set(keyOf(entry), content);
      this.known.set(keyOf(entry), entry);
    }
  }
}
