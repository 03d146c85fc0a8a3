import { createHash } from 'node:crypto';

/** Random numbers that depend only on the seed and a name and are the same on every machine. */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string, name: string) {
    const start = digest(seed, name);
    this.#a = start.readUInt32LE(0);
    this.#b = start.readUInt32LE(4);
    this.#c = start.readUInt32LE(8);
  }

  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor((this.#next() / 2 ** 32) * (max - min + 1));
  }

  /** Returns true with the given probability, from 0 to 1. */
  chance(probability: number): boolean {
    return this.#next() / 2 ** 32 < probability;
  }

  /**
   * Returns one element of a non-empty list.
   *
   * @throws {RangeError} if the list is empty.
   */
  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  // sfc32: a small and fast generator whose quality is enough for generated worlds.
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

/**
 * Returns the UUID that is derived from the seed and the name (version 8 of RFC 9562, which leaves
 * the derivation to the application).
 */
export function seededUuid(seed: string, name: string): string {
  const bytes = digest(seed, name);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Returns the secret that is derived from the seed and the name. Anyone can derive it, so it is
 * only for made-up buyers.
 */
export function seededSecret(seed: string, name: string): string {
  return digest(seed, `secret ${name}`).toString('base64url');
}

function digest(seed: string, name: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([seed, name]))
    .digest();
}
