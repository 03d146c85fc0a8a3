import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { isServerLost } from '../database/server-lost.js';
import { importFile, type ImportSummary } from '../import/import-file.js';
import { CommandError, count, printNote, withClient } from './command-line.js';
import { failureText } from './failure-text.js';
import { importProgress } from './import-progress-bar.js';

interface ImportFlags {
  readonly dryRun?: boolean;
  readonly backfill?: boolean;
  readonly restoreErased?: boolean;
}

interface Source {
  readonly bytes: AsyncIterable<Buffer>;
  /** Undefined: not known, as of a pipe. */
  readonly length?: number;
}

const READ_BYTES = 256 * 1024;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

async function openSource(file: string, signal: AbortSignal): Promise<Source> {
  if (file === '-') return { bytes: addAbortSignal(signal, process.stdin) };
  const handle = await open(file).catch((error: unknown) => {
    throw fileError(error, file);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new CommandError(`${file} is a folder: name a file.`);
  }
  const bytes = createReadStream(file, { fd: handle, highWaterMark: READ_BYTES, signal });
  return stats.isFile() ? { bytes, length: stats.size } : { bytes };
}

/** What a person needs to know of a file that cannot be opened: which one. */
function fileError(error: unknown, file: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOENT', 'ENOTDIR'].includes(code)) {
    return new CommandError(`There is no file ${file}: check the path.`);
  }
  if (!['EACCES', 'EPERM'].includes(code)) return error;
  return new CommandError(`Permission denied: this user may not read ${file}.`);
}

export async function runImport(file: string, flags: ImportFlags): Promise<void> {
  const interruption = new AbortController();
  const { signal } = interruption;
  // The first signal ends the import in order; a second one has its usual effect and ends the process.
  const interrupt = (): void =>
    interruption.abort(new CommandError('Interrupted; nothing was imported.'));
  for (const name of SIGNALS) process.once(name, interrupt);
  try {
    // Opened first: a wrong path should not wait for a database.
    const { bytes, length } = await openSource(file, signal);
    await withClient(async (client) => {
      const summary = await importFile(client, bytes, {
        isDryRun: flags.dryRun ?? false,
        isBackfill: flags.backfill ?? false,
        mayRestoreErased: flags.restoreErased ?? false,
        progress: importProgress(length),
        signal,
      }).catch((error: unknown) => {
        throw withOutcome(error);
      });
      for (const line of reportOf(summary, flags)) printNote(line);
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

function* reportOf(summary: ImportSummary, { dryRun }: ImportFlags): Generator<string> {
  const { records, added, changed, unseen = 0, skippedErased, stillRevoked, hiddenParts } = summary;
  const outcome = `${count(records)} ${records === 1 ? 'record' : 'records'}: ${count(added)} new, ${count(changed)} changed`;
  yield dryRun ? `Dry run, nothing was kept: ${outcome}.` : `Imported ${outcome}.`;
  if (skippedErased > 0) {
    yield `Skipped ${count(skippedErased)} records of buyers who were erased: --restore-erased loads them.`;
  }
  if (stillRevoked > 0) {
    yield `${count(stillRevoked)} sessions or grants stay revoked: a new approval has a new id.`;
  }
  if (hiddenParts > 0) {
    yield `${count(hiddenParts)} parts of listings are not shown: docs/privacy.md says which.`;
  }
  if (unseen > 0) {
    const requests =
      unseen === 1
        ? 'request of buyers already on record lies'
        : 'requests of buyers already on record lie';
    yield (
      `Warning: ${count(unseen)} new ${requests} before this import, where clients that poll do not look again. ` +
      'What is not history is imported without --backfill.'
    );
  }
}
