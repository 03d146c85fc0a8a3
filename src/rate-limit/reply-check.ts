/**
 * A line of a reply, with the length of the array or string that it begins. A status or an error
 * has at most a thousand characters, which is more than Redis sends to the commands of the rate
 * limit.
 */
const LINE = /(?:[+-][^\r\n]{0,1000}|:-?\d{1,16}|\*(?<items>\d)|\$(?<bytes>\d{1,5}))\r\n/y;
/** A line of which the end has not arrived. */
const PARTIAL_LINE = /(?:[+-][^\r\n]{0,1000}|:-?\d{0,16}|\*\d?|\$\d{0,5})\r?$/y;

/**
 * Checks what arrives on one connection before ioredis reads it, because ioredis ends the process
 * on some replies that no Redis sends: a push without a kind, a null that no command requested, or
 * arrays in arrays. The check accepts only what the commands of the rate limit return in RESP2:
 * lines, numbers, strings, and arrays of these.
 */
export class ReplyCheck {
  /**
   * A reply, or the part of an array, that has not arrived completely. The patterns of a line limit
   * its length.
   */
  #rest = '';
  /** How many items of the current array are still to come. */
  #itemsLeft = 0;

  /** Returns whether the chunk continues what has arrived; after `false`, do not call it again. */
  accepts(chunk: Buffer): boolean {
    const text = this.#rest + chunk.toString('latin1');
    let start = 0;
    while (start < text.length) {
      LINE.lastIndex = PARTIAL_LINE.lastIndex = start;
      const line = LINE.exec(text);
      if (!line && !PARTIAL_LINE.test(text)) return false;
      const { items, bytes } = line?.groups ?? {};
      const end = LINE.lastIndex + (bytes === undefined ? 0 : Number(bytes) + 2);
      if (!line || end > text.length) break;
      if (bytes !== undefined && !text.startsWith('\r\n', end - 2)) return false;
      if (items !== undefined && this.#itemsLeft > 0) return false;
      this.#itemsLeft = items === undefined ? Math.max(this.#itemsLeft - 1, 0) : Number(items);
      start = end;
    }
    this.#rest = text.slice(start);
    return true;
  }
}
