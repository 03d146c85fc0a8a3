/** How often the line is drawn again on a terminal, so that the time also passes in one step. */
const DRAWN_EVERY_MS = 200;
/** The shortest time between two lines where there is no terminal. */
const WRITTEN_EVERY_MS = 5_000;
const BAR_WIDTH = 24;
/** Moves a terminal's cursor to the start of the line, and clears the line. */
const CLEAR = '\r\u001b[K';

/**
 * Shows the progress of a long command on standard error: on a terminal as one line that is drawn
 * again and again, elsewhere as a plain line every few seconds.
 */
export class ProgressLine {
  readonly #output = process.stderr;
  readonly #startedAt = Date.now();
  #drawing: NodeJS.Timeout | undefined;
  #writtenAt = Date.now();
  #share = 0;
  #step = '';

  /**
   * Reports the current step.
   *
   * @param share how much of the work is done, 0 to 1. Default: as much as before.
   */
  update(step: string, share = this.#share): void {
    this.#step = step;
    this.#share = share;
    if (this.#output.isTTY) {
      this.#drawing ??= setInterval(() => this.#draw(), DRAWN_EVERY_MS).unref();
      this.#draw();
    } else if (Date.now() - this.#writtenAt >= WRITTEN_EVERY_MS) {
      this.#writtenAt = Date.now();
      this.#output.write(`${step} (${this.#seconds()} s)\n`);
    }
  }

  /** Reports at once, where there is no terminal too, why nothing happens. */
  wait(reason: string): void {
    if (this.#output.isTTY) this.update(reason);
    else this.#output.write(`${reason}\n`);
  }

  /** Removes the line from the terminal. */
  end(): void {
    if (this.#drawing === undefined) return;
    clearInterval(this.#drawing);
    this.#drawing = undefined;
    this.#output.write(CLEAR);
  }

  #draw(): void {
    const done = Math.round(this.#share * BAR_WIDTH);
    const bar = '#'.repeat(done) + '-'.repeat(BAR_WIDTH - done);
    const percent = `${Math.floor(this.#share * 100)}%`.padStart(4);
    const line = `[${bar}]${percent} | ${this.#seconds()} s | ${this.#step}`;
    // A line that wraps could not be cleared.
    this.#output.write(CLEAR + line.slice(0, (this.#output.columns || 80) - 1));
  }

  #seconds(): number {
    return Math.round((Date.now() - this.#startedAt) / 1_000);
  }
}
