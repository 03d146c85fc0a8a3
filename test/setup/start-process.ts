import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';

const PACKAGE = path.resolve(import.meta.dirname, '../..');
const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;

/** A process of the built service, as an operator would run it. */
export interface RunningProcess {
  readonly pid: number;
  /** Address of the public port. */
  readonly baseUrl: string;
  /** Address of the management port. */
  readonly managementUrl: string;
  /** Everything it has written so far. */
  readonly output: () => string;
  /** Its exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Sends the signal and waits for the end; a process that outlives its time is killed. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export interface ProcessOptions {
  /** Default: the service itself, `dist/main.js`. */
  readonly entry?: 'main' | 'cli';
  readonly args?: readonly string[];
  /** Options of Node and its engine. */
  readonly nodeOptions?: readonly string[];
  /** Added to the little that every process needs; nothing else of this process's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** Default: until `/health/ready` answers 200. `live`: until it answers at all. `spawn`: not at all. */
  readonly waitFor?: 'ready' | 'live' | 'spawn';
}

/** Starts a process on free ports of this machine. The caller stops it. */
export async function startProcess(options: ProcessOptions = {}): Promise<RunningProcess> {
  const [port, managementPort] = await Promise.all([freePort(), freePort()]);
  const entry = path.join(PACKAGE, 'dist', `${options.entry ?? 'main'}.js`);
  const { args = [], nodeOptions = [] } = options;
  const child = spawn(process.execPath, [...nodeOptions, entry, ...args], {
    cwd: options.directory ?? PACKAGE,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const running = follow(child, port, managementPort);
  const waitFor = options.waitFor ?? 'ready';
  if (waitFor === 'spawn') return running;
  try {
    await answers(running, waitFor);
    return running;
  } catch (error) {
    await running.stop('SIGKILL');
    throw error;
  }
}

function follow(child: ChildProcess, port: number, managementPort: number): RunningProcess {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  exited.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    baseUrl: `http://127.0.0.1:${port}`,
    managementUrl: `http://127.0.0.1:${managementPort}`,
    output: () => output,
    exited,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      return exited.finally(() => clearTimeout(timer));
    },
  };
}

async function answers(running: RunningProcess, waitFor: 'ready' | 'live'): Promise<void> {
  const ended = running.exited.then((code) => `it ended with ${String(code)}`);
  const until = Date.now() + READY_LIMIT_MS;
  while (Date.now() < until) {
    const outcome = await Promise.race([
      ended,
      fetch(`${running.baseUrl}/health/${waitFor}`).then(
        (response) => response.ok,
        () => false,
      ),
    ]);
    if (outcome === true) return;
    if (typeof outcome === 'string') throw new Error(`no service: ${outcome}\n${running.output()}`);
    await sleep(25);
  }
  throw new Error(`no service in time\n${running.output()}`);
}
