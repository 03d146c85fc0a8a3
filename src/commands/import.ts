import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { isServerLost } from '../database/server-lost.js';
import { importFile, type ImportSummary } from '../import/import-file.js';
import { CommandError } from './command-error.js';
import { failureText } from './failure-text.js';
import { importProgress } from './import-progress-bar.js';
import { printNote } from './console.js';
import { withClient } from './with-client.js';

interface ImportFlags {
  readonly dryRun?: boolean;
  readonly backfill?: boolean;
  readonly restoreErased?: boolean;
}

interface Source {
  readonly bytes: AsyncIterable<Buffer>;
  /** Undefined: not known, as of a pipe. */
  readonly length: number | undefined;
}

const READ_BYTES = 256 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

async function openSource(file: string, signal: AbortSignal): Promise<Source> {
  if (file === '-') return { bytes: addAbortSignal(signal, process.stdin), length: undefined };
  const handle = await open(file).catch((error: unknown) => {
    throw fileError(error, file);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new CommandError(`${file} is a folder: name a file.`);
  }
  return {
    bytes: createReadStream(file, { fd: handle, highWaterMark: READ_BYTES, signal }),
    length: stats.isFile() ? stats.size : undefined,
  };
}

/** What a person needs to know of a file that cannot be opened: which one. */
function fileError(error: unknown, file: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new CommandError(`There is no file ${file}: check the path.`);
    case 'EACCES':
    case 'EPERM':
      return new CommandError(`Permission denied: this user may not read ${file}.`);
    default:
      return error;
  }
}

async function runImport(
  file: string,
  { dryRun, backfill, restoreErased }: ImportFlags,
): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  // The first signal ends the import in order; a second one has its usual effect and ends the process.
  const interrupt = (): void =>
    interruption.abort(new CommandError('Interrupted; nothing was imported.'));
  for (const name of SIGNALS) process.once(name, interrupt);
  try {
    // Opened first: a wrong path should not wait for a database.
    const source = await openSource(file, signal);
    await withClient(async (client) => {
      const summary = await importFile(client, source.bytes, {
        isDryRun: dryRun ?? false,
        isBackfill: backfill ?? false,
        mayRestoreErased: restoreErased ?? false,
        progress: importProgress(source.length),
        signal,
      }).catch((error: unknown) => {
        throw withOutcome(error);
      });
      report(summary, dryRun ?? false);
    });
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}

/** When the database was lost, also in the commit, of which the outcome is unknown then: what to do in either case. */
function withOutcome(error: unknown): unknown {
  if (!(error instanceof Error && isServerLost(error))) return error;
  return new CommandError(
    `${failureText(error) ?? ''} Then import the file again: it is kept whole or not at all, and not twice.`,
    { cause: error },
  );
}

function report(summary: ImportSummary, isDryRun: boolean): void {
  const { records, added, changed, unseen = 0, skippedErased, stillRevoked, hiddenParts } = summary;
  const outcome = `${count(records)} ${records === 1 ? 'record' : 'records'}: ${count(added)} new, ${count(changed)} changed`;
  printNote(isDryRun ? `Dry run, nothing was kept: ${outcome}.` : `Imported ${outcome}.`);
  if (skippedErased > 0) {
    printNote(
      `Skipped ${count(skippedErased)} records of buyers who were erased: --restore-erased loads them.`,
    );
  }
  if (stillRevoked > 0) {
    printNote(
      `${count(stillRevoked)} sessions or grants stay revoked: a new approval has a new id.`,
    );
  }
  if (hiddenParts > 0) {
    printNote(`${count(hiddenParts)} parts of listings are not shown: docs/privacy.md says which.`);
  }
  if (unseen > 0) {
    printNote(
      `Warning: ${count(unseen)} new ${unseen === 1 ? 'request' : 'requests'} of buyers already on record ` +
        `${unseen === 1 ? 'lies' : 'lie'} before this import, where clients that poll do not look again. ` +
        'What is not history is imported without --backfill.',
    );
  }
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('load an import file (NDJSON): all of it, or nothing')
    .argument('<file>', 'the file; - is standard input')
    .option('--dry-run', 'check everything and keep nothing')
    .option('--backfill', 'load history: latestActivityAt decides the place in the feed')
    .option('--restore-erased', 'load the records of buyers who were erased, too')
    .addHelpText(
      'after',
      '\nExamples:\n  deal-sets import requests.ndjson\n  deal-sets import --dry-run requests.ndjson\n' +
        '  zcat history.ndjson.gz | deal-sets import --backfill -\n\n' +
        'The records, their keys and the rules are described in docs/import-format.md.',
    )
    .action(runImport);
}
