/** Words of 32 bits that make a key: 128 bits of a hash, so that no two principals ever share one. */
const KEY_WORDS = 4;

/**
 * Numbers keys densely from 0, in typed arrays outside the JavaScript heap: 24 bytes a key, where a Map of
 * strings takes over a hundred. Open addressing with linear probing, at most half full.
 */
export class KeyIndex {
  readonly #words: Int32Array;
  /** Number of the key at each place, plus one; 0 where there is none. */
  readonly #places: Int32Array;
  readonly #mask: number;
  readonly #free: Int32Array;
  #freeCount: number;

  /** @param capacity keys it can hold; a power of two. */
  constructor(capacity: number) {
    this.#words = new Int32Array(capacity * KEY_WORDS);
    this.#places = new Int32Array(capacity * 2);
    this.#mask = capacity * 2 - 1;
    this.#free = new Int32Array(capacity);
    this.#freeCount = 0;
    this.#used = 0;
  }

  /** Numbers below this were given out at least once. */
  #used: number;

  /** @returns the key's number, or -1 when it is not held. */
  find(key: Int32Array): number {
    for (let place = this.#home(key, 0); ; place = (place + 1) & this.#mask) {
      const number = this.#at(this.#places, place) - 1;
      if (number === -1 || this.#holds(number, key)) return number;
    }
  }

  /** Gives a key that is not held a number. */
  add(key: Int32Array): number {
    const number = this.#freeCount > 0 ? this.#at(this.#free, --this.#freeCount) : this.#used++;
    this.#words.set(key, number * KEY_WORDS);
    let place = this.#home(key, 0);
    while (this.#places[place] !== 0) place = (place + 1) & this.#mask;
    this.#places[place] = number + 1;
    return number;
  }

  /** Copies a held key's words. */
  read(number: number, key: Int32Array): void {
    const start = number * KEY_WORDS;
    for (let word = 0; word < KEY_WORDS; word += 1) key[word] = this.#at(this.#words, start + word);
  }

  /** Forgets a key; its number is given out again. */
  remove(number: number): void {
    let hole = this.#home(this.#words, number * KEY_WORDS);
    while (this.#places[hole] !== number + 1) hole = (hole + 1) & this.#mask;
    // Closes the gap: keys behind it that it kept from their home move up.
    for (
      let place = (hole + 1) & this.#mask;
      this.#places[place] !== 0;
      place = (place + 1) & this.#mask
    ) {
      const other = this.#at(this.#places, place);
      const home = this.#home(this.#words, (other - 1) * KEY_WORDS);
      if (((place - home) & this.#mask) < ((place - hole) & this.#mask)) continue;
      this.#places[hole] = other;
      hole = place;
    }
    this.#places[hole] = 0;
    this.#free[this.#freeCount++] = number;
  }

  /** The first word says where a key would best be. */
  #home(words: Int32Array, start: number): number {
    return this.#at(words, start) & this.#mask;
  }

  #holds(number: number, key: Int32Array): boolean {
    const start = number * KEY_WORDS;
    for (let word = 0; word < KEY_WORDS; word += 1) {
      if (this.#words[start + word] !== key[word]) return false;
    }
    return true;
  }

  #at(array: Int32Array, position: number): number {
    return array[position] ?? 0;
  }
}
