import { Presets, SingleBar } from 'cli-progress';
import { READING_SHARE, type ImportProgress } from '../import/import-file.js';
import { count, printNote } from './command-line.js';

const LINE_EVERY_MS = 2_000;

/** Progress on standard error: a bar on a terminal, else a plain line now and then. */
export function importProgress(length: number | undefined): ImportProgress {
  return process.stderr.isTTY && length !== undefined && length > 0
    ? progressBar(length)
    : progressLines(length);
}

function progressBar(length: number): ImportProgress {
  const bar = new SingleBar(
    { format: '{bar} {percentage}% | {phase}', hideCursor: true, stopOnComplete: false },
    Presets.shades_classic,
  );
  bar.start(length, 0, { phase: 'reading' });
  let done = 0;
  const show = (phase: string): void => {
    bar.update(done, { phase });
    bar.render();
  };
  return {
    read(bytes, records) {
      done += bytes * READING_SHARE;
      bar.update(done, { phase: `${count(records)} records read` });
    },
    phase(name, share) {
      if (share !== undefined) done = length * share;
      show(name);
    },
    waiting: show,
    end: () => bar.stop(),
  };
}

function progressLines(length: number | undefined): ImportProgress {
  let read = 0;
  let lastAt = Date.now();
  const sayNow = (line: string): void => {
    lastAt = Date.now();
    printNote(line);
  };
  const sayAtTimes = (line: string): void => {
    if (Date.now() - lastAt >= LINE_EVERY_MS) sayNow(line);
  };
  return {
    read(bytes, records) {
      read += bytes;
      const share = length ? `${Math.floor((100 * read) / length)}%, ` : '';
      sayAtTimes(`reading: ${share}${count(records)} records`);
    },
    phase: (name) => sayAtTimes(name),
    waiting: sayNow,
    end: () => undefined,
  };
}
