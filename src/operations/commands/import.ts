import { open, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Command } from 'commander';
import type { ImportProgress, ImportSummary } from '../import/import-file.js';
import { linesText } from '../import/records/problems.js';
import type { RecordKind } from '../import/records/records.js';
import { READING_SHARE } from '../import/progress-shares.js';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { withClient } from './database.js';
import { interruptible } from './interruption.js';
import { countOf, formatCount, printNote, printResult } from './output.js';
import { ProgressLine } from './progress-line.js';

/** `deal-sets import`: loads a file, or standard input for `-`, and prints a summary. */
export const importCommand = (): Command =>
  command('import', {
    summary: 'load an import file (NDJSON), completely or not at all',
    examples: [
      'deal-sets import requests.ndjson',
      'deal-sets import --dry-run requests.ndjson',
      'zcat history.ndjson.gz | deal-sets import --backfill -',
    ],
    note: 'docs/import-format.md describes the records, their keys and their rules.',
  })
    .argument('[file]', 'the file, or - for standard input')
    .option('--schema', 'print the JSON Schema of a line, and load nothing')
    .option('--dry-run', 'check everything and keep nothing')
    .option('--backfill', 'load history: latestActivityAt becomes the stamp of a request')
    .option('--restore-erased', 'also load the records of erased buyers')
    .action(runImport);

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

async function runImport(file: string | undefined, flags: ImportFlags): Promise<void> {
  if (flags.schema) {
    const { lineSchemaText } = await import('../import/records/check-record.js');
    printResult(lineSchemaText());
    return;
  }
  if (file === undefined) {
    throw new CommandError('No file: specify one, or - for standard input.');
  }
  const [{ importFile }, { isConnectionLost }, { failureText }] = await Promise.all([
    import('../import/import-file.js'),
    import('../../database/driver-errors.js'),
    import('./failure-text.js'),
  ]);
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
          `${failureText(error)} Then import the file again: an import is stored completely or not at all, and repeating it is safe.`,
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
 * Shows the progress of an import.
 *
 * @param length the length of the file in bytes; 0 if it is not known, as for a pipe.
 */
export function importProgress(length = 0): ImportProgress {
  const line = new ProgressLine();
  let bytesRead = 0;
  return {
    read(bytes, records) {
      bytesRead += bytes;
      const share = length > 0 ? bytesRead / length : 0;
      const percent = length > 0 ? `${Math.floor(100 * share)}%, ` : '';
      line.update(`reading: ${percent}${formatCount(records)} records`, share * READING_SHARE);
    },
    phase: (name, share) => line.update(name, share),
    waiting: (reason) => line.wait(reason),
    end: () => line.end(),
  };
}
