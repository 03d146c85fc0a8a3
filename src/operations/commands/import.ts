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
import { lineSchemaText } from '../import/check-record.js';
import { linesText } from '../import/problems.js';
import type { RecordKind } from '../import/records.js';
import {
  CommandError,
  countOf,
  formatCount,
  interruptible,
  notesAtTimes,
  printNote,
  printResult,
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
  /** `--schema`: print the JSON Schema of a line. */
  readonly schema?: boolean;
}

/** The names of the kinds in the summary. */
const NOUNS: Readonly<Record<RecordKind, string>> = {
  buyer: 'buyer',
  dealership: 'dealership',
  session: 'session',
  grant: 'grant',
  dealSet: 'deal set',
  priceCheck: 'price check',
  question: 'question',
  draft: 'draft',
  reply: 'reply',
};

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
export async function runImport(file: string | undefined, flags: ImportFlags): Promise<void> {
  if (flags.schema) {
    printResult(lineSchemaText());
    return;
  }
  if (file === undefined) {
    throw new CommandError('No file: specify one, or - for standard input.');
  }
  const startedAt = performance.now();
  await interruptible('Interrupted; nothing was imported.', async (signal) => {
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
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const line of reportOf(summary, flags, seconds)) printNote(line);
    });
  });
}

function* reportOf(
  {
    records,
    kinds,
    missedByPolls = 0,
    skippedErased,
    stillRevoked,
    withheldParts,
    itemsWithoutText: { questions, drafts, firstDraftLines },
  }: ImportSummary,
  { dryRun }: ImportFlags,
  seconds: number,
): Generator<string> {
  const loaded = records - skippedErased;
  const outcome = `${countOf(loaded, 'record')} in ${seconds.toFixed(1)} s`;
  const end = loaded === 0 ? '.' : ':';
  yield dryRun ? `Dry run, nothing was kept: ${outcome}${end}` : `Imported ${outcome}${end}`;
  for (const [kind, count] of Object.entries(kinds)) {
    const noun = NOUNS[kind as RecordKind];
    const plural = noun === 'reply' ? 'replies' : `${noun}s`;
    const withheld =
      kind === 'priceCheck' && withheldParts > 0
        ? `; ${countOf(withheldParts, 'part of a listing', 'parts of listings')} withheld (docs/privacy.md)`
        : '';
    yield `  ${countOf(count.records, noun, plural)}: ${formatCount(count.added)} new, ${formatCount(count.changed)} changed${withheld}`;
  }
  if (records === 0) yield 'Warning: the file contains no records. Check that it is complete.';
  if (skippedErased > 0) {
    yield `Skipped ${countOf(skippedErased, 'record')} of erased buyers: --restore-erased loads such records.`;
  }
  if (stillRevoked > 0) {
    yield `${countOf(stillRevoked, 'session or grant stays', 'sessions or grants stay')} revoked: a new approval needs a new id.`;
  }
  if (questions + drafts > 0) {
    const items = [
      ...(questions > 0 ? [countOf(questions, 'open question')] : []),
      ...(drafts > 0 ? [countOf(drafts, 'open draft')] : []),
    ].join(' and ');
    const have = questions + drafts === 1 ? 'has' : 'have';
    yield `${items} of hidden dealerships ${have} no text that the buyer may read (docs/privacy.md).`;
  }
  if (drafts > 0) {
    const what = drafts === 1 ? 'the draft' : 'the drafts';
    yield `Warning: set bodyWhileHidden on ${what}, which can be written without a name: ${linesText(firstDraftLines, drafts)}.`;
  }
  if (missedByPolls > 0) {
    const requests =
      missedByPolls === 1
        ? 'request of existing buyers has a stamp'
        : 'requests of existing buyers have stamps';
    yield (
      `Warning: ${formatCount(missedByPolls)} new ${requests} before this import, so polling clients will not receive ${missedByPolls === 1 ? 'it' : 'them'}. ` +
      'Import data that is not history without --backfill.'
    );
  }
}

/**
 * Shows progress on standard error: a bar with the elapsed time on a terminal if the length in
 * bytes is known, otherwise a plain line at intervals.
 */
export function importProgress(length = 0): ImportProgress {
  const hasBar = process.stderr.isTTY && length > 0;
  // The bar is drawn several times a second, so that the time also passes during one statement.
  const format = '{bar} {percentage}% | {duration_formatted} | {phase}';
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  if (hasBar) bar.start(length, 0, { phase: 'reading' });
  const startedAt = Date.now();
  const noteAtTimes = notesAtTimes();
  const note = (line: string): void =>
    noteAtTimes(`${line} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
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
      if (hasBar) bar.update(length * share, { phase: name });
      else note(name);
    },
    waiting(reason) {
      if (hasBar) bar.update({ phase: reason });
      else printNote(reason);
    },
    end: () => bar.stop(),
  };
}
