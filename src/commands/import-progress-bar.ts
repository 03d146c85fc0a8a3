import { Presets, SingleBar } from 'cli-progress';
import { READING_SHARE, type ImportProgress } from '../import/import-progress.js';
import { printNote } from './console.js';

const LINE_EVERY_MS = 2_000;

/** Progress on standard error: a bar on a terminal, else a plain line now and then. */
export function importProgress(length: number | undefined): ImportProgress {
  return process.stderr.isTTY && length !== undefined && length > 0
    ? new ProgressBar(length)
    : new ProgressLines(length);
}

class ProgressBar implements ImportProgress {
  readonly #bar: SingleBar;

  constructor(private readonly length: number) {
    this.#bar = new SingleBar(
      { format: '{bar} {percentage}% | {phase}', hideCursor: true, stopOnComplete: false },
      Presets.shades_classic,
    );
    this.#bar.start(length, 0, { phase: 'reading' });
  }

  read(bytes: number, records: number): void {
    this.#bar.increment(bytes * READING_SHARE, {
      phase: `${records.toLocaleString('en-US')} records read`,
    });
  }

  phase(name: string, share: number): void {
    this.#bar.update(this.length * share, { phase: name });
    this.#bar.render();
  }

  waiting(reason: string): void {
    this.#bar.update({ phase: reason });
    this.#bar.render();
  }

  end(): void {
    this.#bar.stop();
  }
}

class ProgressLines implements ImportProgress {
  readonly #length: number | undefined;
  #read = 0;
  #lastAt = Date.now();

  constructor(length: number | undefined) {
    this.#length = length;
  }

  read(bytes: number, records: number): void {
    this.#read += bytes;
    if (Date.now() - this.#lastAt < LINE_EVERY_MS) return;
    this.#lastAt = Date.now();
    const share = this.#length ? `${Math.floor((100 * this.#read) / this.#length)}%, ` : '';
    printNote(`reading: ${share}${records.toLocaleString('en-US')} records`);
  }

  phase(name: string): void {
    if (Date.now() - this.#lastAt < LINE_EVERY_MS) return;
    this.#lastAt = Date.now();
    printNote(name);
  }

  waiting(reason: string): void {
    this.#lastAt = Date.now();
    printNote(reason);
  }

  end(): void {
    this.#lastAt = Date.now();
  }
}
