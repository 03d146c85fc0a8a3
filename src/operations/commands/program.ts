import { Command, CommanderError, Help } from 'commander';
import { PACKAGE_VERSION } from '../../config/package-version.js';
import { approvalsCommand } from './approvals.js';
import { approveCommand } from './approve.js';
import { CommandError } from './command-error.js';
import { distributeCommand } from './distribute.js';
import { eraseCommand } from './erase.js';
import { exportCommand } from './export.js';
import { importCommand } from './import.js';
import { migrateCommand } from './migrate.js';
import { printNote } from './output.js';
import { pruneCommand } from './prune.js';
import { rebuildCommand } from './rebuild.js';
import { revokeCommand } from './revoke.js';
import { serveCommand } from './serve.js';
import { sessionCommand } from './session.js';
import { tokenCommand } from './token.js';

/** The commands in the order of the help. */
const COMMANDS = [
  serveCommand,
  migrateCommand,
  rebuildCommand,
  distributeCommand,
  importCommand,
  tokenCommand,
  approveCommand,
  approvalsCommand,
  sessionCommand,
  revokeCommand,
  pruneCommand,
  eraseCommand,
  exportCommand,
];

function createProgram(): Command {
  const program = new Command('deal-sets')
    .description("Read API for a car buyer's price requests, and the commands to operate it")
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .exitOverride()
    .configureHelp({
      optionDescription: (option) => {
        const description = new Help().optionDescription(option);
        return option.mandatory ? `${description} (required)` : description;
      },
    })
    .configureOutput({
      // Keeps an error and its suggestion on one line.
      outputError: (text, write) => write(`${text.trim().split(/\s+/).join(' ')}\n`),
    });
  for (const create of COMMANDS) {
    program.addCommand(create().copyInheritedSettings(program));
  }
  return program;
}

/**
 * Runs the command line.
 *
 * @returns the exit code, 0 only on success. Failures have been printed to standard error by then.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    // Commander has printed its own errors, and "errors" such as the help.
    if (error instanceof CommanderError) return error.exitCode;
    const { failureText } = await import('./failure-text.js');
    printNote(failureText(error));
    return error instanceof CommandError ? error.exitCode : 1;
  }
}
