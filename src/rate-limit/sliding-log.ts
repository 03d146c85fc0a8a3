import { KeyIndex } from './key-index.js';

const KEY_WORDS = 4;

/** So many hits have room before the log first grows; a power of two. */
const SMALLEST_CAPACITY = 1024;

/** What became of a hit. */
export interface Admission {
  readonly isAdmitted: boolean;
  /** Hits of the key in the window, this one included when it was admitted. */
  readonly hits: number;
  /** Milliseconds until a hit of the key will be admitted; 0 when this one was. */
  readonly retryAfterMs: number;
}

/**
 * The hits of the last window, exactly: one line of all hits, oldest first, in which each points to the
 * next of its key. Every hit lives as long as every other, so they leave the line in the order they came,
 * and whoever comes next clears away what is over: no timers, no sweep, and no memory but of hits that
 * still count. Arrays double and halve with the line.
 */
export class SlidingLog {
  #capacity = 0;
  #head = 0;
  #length = 0;
  #times!: Float64Array;
  #keyOf!: Int32Array;
  #nextOfKey!: Int32Array;
  #index!: KeyIndex;
  #hits!: Int32Array;
  #oldest!: Int32Array;
  #newest!: Int32Array;

  /** @param windowMs how long a hit counts. */
  constructor(private readonly windowMs: number) {
    this.#allocate(SMALLEST_CAPACITY);
  }

  /** Hits in the window, of all keys. */
  get length(): number {
    return this.#length;
  }

  /**
   * Counts a hit, unless its key has reached the limit: a refused hit is not counted, so that waiting
   * really helps.
   *
   * @param key 128 bits.
   * @param nowMs never less than in an earlier call.
   */
  admit(key: Int32Array, limit: number, nowMs: number): Admission {
    this.#clearUntil(nowMs - this.windowMs);
    const held = this.#index.find(key);
    const hits = held === -1 ? 0 : this.#at(this.#hits, held);
    if (hits >= limit) {
      const oldestMs = this.#times[this.#at(this.#oldest, held)] ?? nowMs;
      return { isAdmitted: false, hits, retryAfterMs: oldestMs + this.windowMs - nowMs };
    }
    if (this.#length === this.#capacity) this.#resize(this.#capacity * 2);
    this.#append(key, nowMs);
    return { isAdmitted: true, hits: hits + 1, retryAfterMs: 0 };
  }

  #append(key: Int32Array, timeMs: number): void {
    const position = (this.#head + this.#length) & (this.#capacity - 1);
    this.#length += 1;
    let number = this.#index.find(key);
    if (number === -1) {
      number = this.#index.add(key);
      this.#hits[number] = 0;
      this.#oldest[number] = position;
    } else {
      this.#nextOfKey[this.#at(this.#newest, number)] = position;
    }
    this.#hits[number] = this.#at(this.#hits, number) + 1;
    this.#newest[number] = position;
    this.#times[position] = timeMs;
    this.#keyOf[position] = number;
  }

  #clearUntil(timeMs: number): void {
    while (this.#length > 0 && (this.#times[this.#head] ?? 0) <= timeMs) {
      const number = this.#at(this.#keyOf, this.#head);
      const left = this.#at(this.#hits, number) - 1;
      this.#hits[number] = left;
      if (left === 0) this.#index.remove(number);
      else this.#oldest[number] = this.#at(this.#nextOfKey, this.#head);
      this.#head = (this.#head + 1) & (this.#capacity - 1);
      this.#length -= 1;
    }
    if (this.#capacity > SMALLEST_CAPACITY && this.#length * 8 < this.#capacity) {
      this.#resize(this.#capacity / 2);
    }
  }

  /** Lays the line out anew. */
  #resize(capacity: number): void {
    const [times, keyOf, index] = [this.#times, this.#keyOf, this.#index];
    const [head, length, mask] = [this.#head, this.#length, this.#capacity - 1];
    this.#allocate(capacity);
    const key = new Int32Array(KEY_WORDS);
    for (let offset = 0; offset < length; offset += 1) {
      const position = (head + offset) & mask;
      index.read(this.#at(keyOf, position), key);
      this.#append(key, times[position] ?? 0);
    }
  }

  #allocate(capacity: number): void {
    this.#capacity = capacity;
    this.#head = 0;
    this.#length = 0;
    this.#times = new Float64Array(capacity);
    this.#keyOf = new Int32Array(capacity);
    this.#nextOfKey = new Int32Array(capacity);
    // Every key held has a hit in the line, so there are never more keys than hits.
    this.#index = new KeyIndex(capacity);
    this.#hits = new Int32Array(capacity);
    this.#oldest = new Int32Array(capacity);
    this.#newest = new Int32Array(capacity);
  }

  #at(array: Int32Array, position: number): number {
    return array[position] ?? 0;
  }
}
