import { Presets, SingleBar } from 'cli-progress';
import { READING_SHARE, type ImportProgress } from '../import/import-file.js';
import { count, notesAtTimes, printNote } from './command-line.js';

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
  const note = notesAtTimes();
  return {
    read(bytes, records) {
      read += bytes;
      const share = length ? `${Math.floor((100 * read) / length)}%, ` : '';
      note(`reading: ${share}${count(records)} records`);
    },
    phase: (name) => note(name),
    waiting: printNote,
    end: () => undefined,
  };
}
