import { RateLimitStorage } from '@deal-sets/service';

/**
 * Acme's rate-limit counters: a sliding log in this process. In production, all instances must
 * share the counters.
 */
export class AcmeCounters extends RateLimitStorage {
  readonly #hits = new Map<string, number[]>();

  override increment(key: string, ttl: number, limit: number) {
    // A monotonic clock, so that setting the clock of the machine changes no limit.
    const now = performance.now();
    const hits = (this.#hits.get(key) ?? []).filter((at) => at > now - ttl);
    const isBlocked = hits.length >= limit;
    // A rejected hit is not counted.
    if (!isBlocked) hits.push(now);
    this.#hits.set(key, hits);
    const oldest = hits[0] ?? now;
    const seconds = Math.max(1, Math.ceil((oldest + ttl - now) / 1000));
    return Promise.resolve({
      totalHits: hits.length,
      timeToExpire: seconds,
      isBlocked,
      timeToBlockExpire: isBlocked ? seconds : 0,
    });
  }
}
