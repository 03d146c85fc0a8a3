/** The longest line taken, in bytes: room for the longest draft with every character escaped. */
export const MAX_LINE_BYTES = 2 * 1024 * 1024;

/** A line of a file: its text, or why it has none. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Turns bytes into lines of strict UTF-8, numbered from 1, and never holds more than one line. Ends of
 * line may be LF or CRLF; a byte order mark at the start and blank lines are passed over.
 */
export class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #maxBytes: number;
  #number = 0;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in `chunk`. */
  *push(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#hold(chunk.subarray(start, end));
      const line = this.#take();
      if (line) yield line;
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** The last line, when the file does not end in a line feed. */
  *end(): Generator<Line> {
    if (this.#length === 0) return;
    const line = this.#take();
    if (line) yield line;
  }

  #hold(bytes: Buffer): void {
    this.#length += bytes.length;
    // Past the limit only the length is of interest.
    if (this.#length <= this.#maxBytes) this.#parts.push(bytes);
    else this.#parts = [];
  }

  #take(): Line | undefined {
    const number = (this.#number += 1);
    const length = this.#length;
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    if (length > this.#maxBytes) {
      return {
        number,
        reason: `must be no longer than ${this.#maxBytes} bytes, one JSON object on each line`,
      };
    }
    let bytes = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts, length);
    if (bytes.at(-1) === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1);
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      return { number, reason: 'must be valid UTF-8' };
    }
    if (number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    return text.trim() === '' ? undefined : { number, text };
  }
}
