import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { CommandError, printNote } from './command-line.js';
import { addDistributeCommand } from './distribute.js';
import { addEraseCommand } from './erase.js';
import { addExplainCommand } from './explain.js';
import { addExportCommand } from './export.js';
import { failureText } from './failure-text.js';
import { addImportCommand } from './import.js';
import { addMigrateCommand, addRebuildCommand } from './migrate.js';
import { addRevokeCommand } from './revoke.js';
import { addSessionCommand, addTokenCommand } from './token.js';

/** Two levels up from here, in the sources as in the build. */
const MANIFEST = new URL('../../package.json', import.meta.url);

function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  return manifest.version;
}

async function serve(): Promise<void> {
  const settings = loadSettings(readEnvironment());
  if (settings.database.url === undefined && settings.database.readerUrl === undefined) {
    throw new CommandError(
      'DATABASE_URL: expected to be set, to the PostgreSQL that is served. To try the service without one: npm run demo.',
    );
  }
  // Loaded here: the other commands start a third sooner without the framework.
  const { startService } = await import('../start-service.js');
  await startService({ settings });
}

function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API')
    .addHelpText('after', '\nExamples:\n  deal-sets serve\n  PORT=8080 deal-sets serve')
    .action(serve);
}

/** In the order in which one meets them. */
const COMMANDS = [
  addServeCommand,
  addMigrateCommand,
  addRebuildCommand,
  addDistributeCommand,
  addImportCommand,
  addTokenCommand,
  addSessionCommand,
  addExplainCommand,
  addRevokeCommand,
  addEraseCommand,
  addExportCommand,
];

/** The executable `deal-sets` with all its commands. */
function createProgram(): Command {
  const program = new Command('deal-sets')
    .description("Read API for a car buyer's price requests, and what operating it needs")
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      // An error stays one line, also with its suggestion.
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, ' ')}\n`),
    });
  for (const add of COMMANDS) add(program);
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
