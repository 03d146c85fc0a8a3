/** The longest line taken, in bytes: room for the longest draft with every character escaped. */
const MAX_LINE_BYTES = 2 * 1024 * 1024;

/** A line of a file: its text, or why it has none. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

/**
 * Turns bytes into lines of strict UTF-8, numbered from 1, and never holds more than one line. Ends of
 * line may be LF or CRLF; byte order marks and blank lines are passed over.
 */
export class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #number = 0;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(private readonly maxBytes = MAX_LINE_BYTES) {}

  *push(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      this.#hold(chunk.subarray(start, end));
      yield* this.end();
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** What has come so far as a line: also the last one, when the file does not end in a line feed. */
  *end(): Generator<Line> {
    const number = (this.#number += 1);
    const bytes = Buffer.concat(this.#chunks);
    const isTooLong = this.#length > this.maxBytes;
    this.#chunks = [];
    this.#length = 0;
    if (isTooLong) {
      const reason = `must be no longer than ${this.maxBytes} bytes, one JSON object on each line`;
      yield { number, reason };
      return;
    }
    try {
      const text = this.#decoder.decode(bytes);
      if (text.trim() !== '') yield { number, text: text.replace(/\r$/, '') };
    } catch {
      yield { number, reason: 'must be valid UTF-8' };
    }
  }

  #hold(bytes: Buffer): void {
    this.#length += bytes.length;
    // Past the limit only the length is of interest.
    if (this.#length <= this.maxBytes) this.#chunks.push(bytes);
    else this.#chunks = [];
  }
}
