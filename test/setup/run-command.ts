import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

/** The built executable: what a person runs. */
const CLI = path.join(__dirname, '../../dist/cli.js');

export interface CommandOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Settings; nothing of this process's own environment but the path reaches the command. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

/** Starts a command without waiting for its end. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...options.env },
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
