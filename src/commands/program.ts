import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addDistributeCommand } from './distribute.js';
import { addEraseCommand } from './erase.js';
import { addExportCommand } from './export.js';
import { addExplainCommand } from './explain.js';
import { failureText } from './failure-text.js';
import { addImportCommand } from './import.js';
import { addMigrateCommand } from './migrate.js';
import { addRebuildCommand } from './rebuild.js';
import { addRevokeCommand } from './revoke.js';
import { printNote } from './console.js';
import { addServeCommand } from './serve.js';
import { addSessionCommand } from './session.js';
import { addTokenCommand } from './token.js';

/** Two levels up from here, in the sources as in the build. */
const MANIFEST = new URL('../../package.json', import.meta.url);

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  return manifest.version;
}

/** The executable `deal-sets` with all its commands, in the order in which one meets them. */
export function createProgram(): Command {
  const program = new Command('deal-sets')
    .description("Read API for a car buyer's price requests, and what operating it needs")
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      // An error stays one line, also with its suggestion.
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, ' ')}\n`),
    });
  addServeCommand(program);
  addMigrateCommand(program);
  addRebuildCommand(program);
  addDistributeCommand(program);
  addImportCommand(program);
  addTokenCommand(program);
  addSessionCommand(program);
  addExplainCommand(program);
  addRevokeCommand(program);
  addEraseCommand(program);
  addExportCommand(program);
  return program;
}

/**
 * Runs one command.
 *
 * @param argv as in `process.argv`.
 * @returns the exit code: 0 only on success. What went wrong is on standard error by then.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    const text = failureText(error);
    if (text !== undefined) printNote(text);
    return error instanceof CommanderError ? error.exitCode : 1;
  }
}
