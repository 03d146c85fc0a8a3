/** The result of counting a hit. */
export interface Admission {
  readonly isAdmitted: boolean;
  /** Hits of the key in the window, including this one if it was admitted. */
  readonly hits: number;
  /** Milliseconds until a hit of the key is admitted; 0 if this one was. */
  readonly retryAfterMs: number;
}

/**
 * An exact sliding window: for each key the times of its admitted hits. Keys are kept in two generations, each
 * a window long. An admitted hit puts its key into the current one; when a generation begins, the one before
 * the previous is dropped, because its hits have all expired. So there is no timer and no sweep, and an unused
 * key is held for at most two windows of traffic.
 */
export class SlidingLog {
  #current = new Map<string, readonly number[]>();
  #previous = new Map<string, readonly number[]>();
  #startedAtMs = 0;

  /** @param windowMs how long a hit counts. */
  constructor(private readonly windowMs: number) {}

  /** Number of keys held. */
  get size(): number {
    return this.#current.size + this.#previous.size;
  }

  /**
   * Counts a hit, unless its key has reached the limit: a refused hit is not counted, so a client that
   * retries too early does not prolong its wait.
   *
   * @param nowMs not less than in an earlier call.
   */
  admit(key: string, limit: number, nowMs: number): Admission {
    this.#startGeneration(nowMs);
    const times = this.#unexpired(key, nowMs - this.windowMs);
    // The hit that has to expire first: the oldest, or a newer one if the limit has been lowered.
    const blocking = times[times.length - limit];
    if (blocking !== undefined) {
      const retryAfterMs = blocking + this.windowMs - nowMs;
      return { isAdmitted: false, hits: times.length, retryAfterMs };
    }
    // A new array of the exact length: `push` would reserve space for 17 hits in the array of every key.
    this.#current.set(key, times.concat(nowMs));
    this.#previous.delete(key);
    return { isAdmitted: true, hits: times.length + 1, retryAfterMs: 0 };
  }

  #startGeneration(nowMs: number): void {
    const ageMs = nowMs - this.#startedAtMs;
    if (ageMs < this.windowMs) return;
    this.#previous = ageMs < 2 * this.windowMs ? this.#current : new Map<string, number[]>();
    this.#current = new Map();
    this.#startedAtMs = nowMs;
  }

  #unexpired(key: string, expiredAtMs: number): number[] {
    const times = this.#current.get(key) ?? this.#previous.get(key) ?? [];
    return times.filter((time) => time > expiredAtMs);
  }
}
