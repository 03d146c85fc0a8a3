import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { runProgram } from '../../src/operations/commands/program.js';
import { childEnvironment } from './child-environment.js';

/** The built executable, as a user runs it. */
const CLI = path.join(__dirname, '../../dist/cli.js');

export interface CommandOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Settings. Of this process's own environment, only the path reaches the command. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

/** Starts a command without waiting for its end. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    cwd: options.cwd,
    env: childEnvironment(options.env),
    stdio: 'pipe',
  });
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandOutcome> {
  const child = startCommand(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input ?? '');
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { exitCode, stdout, stderr };
}

/**
 * Runs a command to its end in this process, one at a time and without standard input, which takes
 * a tenth of the time of a separate process.
 */
export async function runInProcess(
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Pick<CommandOptions, 'env' | 'cwd'> = {},
): Promise<CommandOutcome> {
  const written = { stdout: '', stderr: '' };
  const replaced = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  const environment = jest.replaceProperty(process, 'env', { ...env });
  const directory = process.cwd();
  process.chdir(cwd);
  try {
    return { exitCode: await runProgram(['node', 'deal-sets', ...args]), ...written };
  } finally {
    process.chdir(directory);
    environment.restore();
    for (const spy of replaced) spy.mockRestore();
  }
}
