import { open, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import { isConnectionLost } from '../../database/driver-errors.js';
import {
  importFile,
  READING_SHARE,
  type ImportProgress,
  type ImportSummary,
} from '../import/import-file.js';
import {
  CommandError,
  countOf,
  formatCount,
  notesAtTimes,
  printNote,
  withClient,
} from './command-line.js';
import { failureText } from './failure-text.js';

/** The flags of `deal-sets import`, as parsed from the command line. */
interface ImportFlags {
  /** `--dry-run`: check everything and keep nothing. */
  readonly dryRun?: boolean;
  /** `--backfill`: load the file as history. */
  readonly backfill?: boolean;
  /** `--restore-erased`: also load the records of erased buyers. */
  readonly restoreErased?: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Opens the file, or standard input for `-`.
 *
 * @returns the source and its length in bytes; 0 if the length is not known, as for a pipe.
 */
async function openSource(file: string): Promise<[source: Readable, length: number]> {
  if (file === '-') return [process.stdin, 0];
  const stats = await stat(file);
  if (stats.isDirectory()) throw new CommandError('This is a directory: specify a file.');
  const source = (await open(file)).createReadStream({ highWaterMark: 256 * 1024 });
  return [source, stats.isFile() ? stats.size : 0];
}

/**
 * `deal-sets import`: loads a file, or standard input for `-`, and prints a summary.
 *
 * @throws {CommandError} when the import was interrupted, or the outcome of its commit is unknown.
 */
export async function runImport(file: string, flags: ImportFlags): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  // The first signal ends the import gracefully; a second one has its usual effect and ends the
  // process.
  const interrupt = (): void =>
    interruption.abort(new CommandError('Interrupted; nothing was imported.'));
  for (const name of SIGNALS) process.once(name, interrupt);
  try {
    // Opened first, so that a wrong path is reported without waiting for a database.
    const [source, length] = await openSource(file);
    const bytes = addAbortSignal(signal, source);
    await withClient(async (client) => {
      const summary = await importFile(client, bytes, {
        isDryRun: flags.dryRun ?? false,
        isBackfill: flags.backfill ?? false,
        mayRestoreErased: flags.restoreErased ?? false,
        progress: importProgress(length),
        signal,
      }).catch((error: unknown) => {
        if (!(error instanceof Error && isConnectionLost(error))) throw error;
        // The connection may have been lost during the commit, so the outcome is unknown. The
        // message says what to do in either case.
        throw new CommandError(
          `${failureText(error) ?? ''} Then import the file again: an import is stored completely or not at all, and repeating it is safe.`,
          { cause: error },
        );
      });
      for (const line of reportOf(summary, flags)) printNote(line);
    });
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}

function* reportOf(summary: ImportSummary, { dryRun }: ImportFlags): Generator<string> {
  const { records, added, changed, unseen = 0, skippedErased, stillRevoked, hiddenParts } = summary;
  const outcome = `${countOf(records, 'record')}: ${formatCount(added)} new, ${formatCount(changed)} changed`;
  yield dryRun ? `Dry run, nothing was kept: ${outcome}.` : `Imported ${outcome}.`;
  if (records === 0) yield 'Warning: the file contains no records. Check that it is complete.';
  if (skippedErased > 0) {
    yield `Skipped ${countOf(skippedErased, 'record')} of erased buyers: --restore-erased loads such records.`;
  }
  if (stillRevoked > 0) {
    yield `${countOf(stillRevoked, 'session or grant stays', 'sessions or grants stay')} revoked: a new approval needs a new id.`;
  }
  if (hiddenParts > 0) {
    yield `${countOf(hiddenParts, 'part of a listing is', 'parts of listings are')} not shown: see docs/privacy.md.`;
  }
  if (unseen > 0) {
    const requests =
      unseen === 1
        ? 'request of existing buyers has a stamp'
        : 'requests of existing buyers have stamps';
    yield (
      `Warning: ${formatCount(unseen)} new ${requests} before this import, so polling clients will not receive ${unseen === 1 ? 'it' : 'them'}. ` +
      'Import data that is not history without --backfill.'
    );
  }
}

/**
 * Shows progress on standard error: a bar on a terminal if the length in bytes is known, otherwise
 * a plain line at intervals.
 */
export function importProgress(length = 0): ImportProgress {
  const hasBar = process.stderr.isTTY && length > 0;
  const format = '{bar} {percentage}% | {phase}';
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  if (hasBar) bar.start(length, 0, { phase: 'reading' });
  const note = notesAtTimes();
  let read = 0;
  return {
    read(bytes, records) {
      read += bytes;
      const share = length > 0 ? `${Math.floor((100 * read) / length)}%, ` : '';
      if (hasBar)
        bar.update(read * READING_SHARE, { phase: `${formatCount(records)} records read` });
      else note(`reading: ${share}${formatCount(records)} records`);
    },
    phase(name, share) {
      if (!hasBar) note(name);
      else if (share === undefined) bar.update({ phase: name });
      else bar.update(length * share, { phase: name });
    },
    waiting(reason) {
      if (hasBar) bar.update({ phase: reason });
      else printNote(reason);
    },
    end: () => bar.stop(),
  };
}
