import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { importFile } from '../intake/import-file.js';
import { CommandError } from './command-error.js';
import { importProgress } from './import-progress-bar.js';
import { say } from './say.js';
import { withClient } from './with-client.js';

interface ImportFlags {
  readonly dryRun?: boolean;
  readonly backfill?: boolean;
}

interface Source {
  readonly bytes: AsyncIterable<Buffer>;
  /** Undefined: not known, as of a pipe. */
  readonly length: number | undefined;
}

const READ_BYTES = 256 * 1024;

async function openSource(file: string): Promise<Source> {
  if (file === '-') return { bytes: process.stdin, length: undefined };
  const handle = await open(file);
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new CommandError(`${file} is a folder: name a file.`);
  }
  return {
    bytes: createReadStream(file, { fd: handle, highWaterMark: READ_BYTES }),
    length: stats.isFile() ? stats.size : undefined,
  };
}

async function runImport(file: string, { dryRun, backfill }: ImportFlags): Promise<void> {
  // Opened first: a wrong path should not wait for a database.
  const source = await openSource(file);
  await withClient(async (client) => {
    const { records, added, changed } = await importFile(client, source.bytes, {
      isDryRun: dryRun ?? false,
      isBackfill: backfill ?? false,
      progress: importProgress(source.length),
    });
    const outcome = `${count(records)} records: ${count(added)} new, ${count(changed)} changed`;
    say(dryRun ? `Dry run, nothing was kept: ${outcome}.` : `Imported ${outcome}.`);
  });
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
    .addHelpText(
      'after',
      '\nExamples:\n  deal-sets import requests.ndjson\n  deal-sets import --dry-run requests.ndjson\n' +
        '  deal-sets world --buyers 100 | deal-sets import --backfill -',
    )
    .action(runImport);
}
