/**
 * The longest accepted line in bytes: enough for the longest draft with every character escaped.
 */
const MAX_LINE_BYTES = 2 * 1024 * 1024;

const NOT_UTF_8 =
  'must be text in UTF-8: save the file with this encoding, and unpack a compressed file first';

/** A line of a file: its text, or the reason why the line is rejected. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

/**
 * Splits bytes into lines of strict UTF-8, numbered from 1. It never keeps more than one line in
 * memory. Lines end with LF or CRLF; byte order marks and blank lines are skipped.
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

  /** Returns the remaining bytes as the last line, when the file does not end with a line feed. */
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
      // In UTF-16, each character of ASCII has a zero byte.
      if (text.includes('\0')) yield { number, reason: NOT_UTF_8 };
      else if (text.trim() !== '') yield { number, text: text.replace(/\r$/, '') };
    } catch {
      yield { number, reason: NOT_UTF_8 };
    }
  }

  #hold(bytes: Buffer): void {
    this.#length += bytes.length;
    // A line beyond the limit will be rejected, so its bytes are not kept.
    if (this.#length <= this.maxBytes) this.#chunks.push(bytes);
    else this.#chunks = [];
  }
}
