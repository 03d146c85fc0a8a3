/** A value's place in a `LinkedSet`. */
export interface LinkedSetEntry<T> {
  readonly value: T;
}

class Entry<T> implements LinkedSetEntry<T> {
  previous: Entry<T> | undefined;
  next: Entry<T> | undefined;

  constructor(
    readonly value: T,
    /** Undefined once it is out. */
    public owner: LinkedSet<T> | undefined,
  ) {}
}

/**
 * Values that come and go with every request or connection, in the order in which they came.
 *
 * A `Set` or `Map` would keep what left it: V8 gives it a new table after as many additions as it has places,
 * and the old table, which holds its last values, points to the new one. An old table that has survived two
 * collections of new objects keeps all that follow alive until a full collection, so responses long sent fill
 * the memory of old objects. Here nothing points from an entry that is out.
 */
export class LinkedSet<T> {
  #first: Entry<T> | undefined;
  #last: Entry<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a value at the end. @returns what `delete` takes. */
  add(value: T): LinkedSetEntry<T> {
    const entry = new Entry(value, this);
    entry.previous = this.#last;
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#size += 1;
    return entry;
  }

  /** @returns false for an entry that is out already, or of another set. */
  delete(entry: LinkedSetEntry<T>): boolean {
    if (!(entry instanceof Entry) || entry.owner !== this) return false;
    const { previous, next } = entry as Entry<T>;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.previous = entry.next = entry.owner = undefined;
    this.#size -= 1;
    return true;
  }

  /** The values as of now, oldest first. */
  values(): T[] {
    const values: T[] = [];
    for (let entry = this.#first; entry; entry = entry.next) values.push(entry.value);
    return values;
  }
}
