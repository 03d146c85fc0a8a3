import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { childEnvironment } from './child-environment.js';
import { eventually } from './eventually.js';

const PACKAGE = path.resolve(import.meta.dirname, '../..');
const LONG_LIMITS = pathToFileURL(
  path.join(import.meta.dirname, 'long-limits-of-processes.js'),
).href;
const STOP_LIMIT_MS = 60_000;

/** A process of the built service, as an operator would run it. */
export interface RunningProcess {
  readonly pid: number;
  /** The public port, on this machine. */
  readonly port: number;
  /** The port of its metrics. */
  readonly managementPort: number;
  /** Everything that the process has written so far. */
  readonly output: () => string;
  /**
   * Sends the signal and waits for the end; kills a process that exceeds its time.
   *
   * @returns the exit code, or null when a signal ended the process.
   */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/**
 * Starts the service with time limits that a busy machine does not reach. The caller
 * stops it.
 *
 * @param env its environment. Its ports are free ones, except for a `PORT` given here.
 * @param cwd where it runs, and so where its development issuer keeps its key.
 * @param health what it must be before this returns: `/health/ready` or `/health/live` answers 200.
 */
export async function startProcess(
  env: Readonly<Record<string, string>>,
  health: 'ready' | 'live' = 'ready',
  cwd = PACKAGE,
): Promise<RunningProcess> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const managementPort = await freePort();
  const child = spawn(process.execPath, [path.join(PACKAGE, 'dist/main.js')], {
    cwd,
    env: childEnvironment({
      ...env,
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --import ${LONG_LIMITS}`,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    return exited.finally(() => clearTimeout(timer));
  };
  try {
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await eventually(async () => {
      if (hasEnded()) return;
      const response = await fetch(`http://127.0.0.1:${port}/health/${health}`).catch(() => null);
      if (!response?.ok) throw new Error(`the service is not ${health} at ${port}:\n${output}`);
    });
    if (hasEnded()) throw new Error(`the service has ended:\n${output}`);
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
  return { pid: child.pid ?? 0, port, managementPort, output: () => output, stop };
}
