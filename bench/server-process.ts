import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from './load-child.js';
import { freePort } from '../packages/embedded-postgres/src/free-port.js';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;
const LOGS = path.resolve('bench-results', 'logs');

/** A server under test in a separate process. */
export class ServerProcess {
  private constructor(
    readonly name: string,
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts a server and waits until it responds to a request with 200.
   *
   * @param script the path of the server's program.
   * @param request a request that every server can answer.
   * @throws {Error} if the server ends or does not respond within 30 seconds.
   */
  static async start(
    name: string,
    script: string,
    environment: Readonly<Record<string, string>>,
    request: LoadRequest,
  ): Promise<ServerProcess> {
    const port = await freePort();
    mkdirSync(LOGS, { recursive: true });
    const logFile = path.join(LOGS, `${name}.log`);
    const log = openSync(logFile, 'w');
    const startedAt = performance.now();
    // All servers run with the Node.js option that `npm start` uses.
    const child = spawn(process.execPath, ['--max-semi-space-size=64', script], {
      env: { PATH: process.env['PATH'], ...environment, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const url = `http://127.0.0.1:${port}`;
    for (;;) {
      const response = await fetch(url + request.path, request).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.status === 200) return new ServerProcess(name, url, child);
      if (child.exitCode !== null || performance.now() - startedAt > START_LIMIT_MS) {
        child.kill('SIGKILL');
        throw new Error(`${script} does not respond (${response?.status}): see ${logFile}`);
      }
      await sleep(5);
    }
  }

  /** The process id. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Stops the server, with SIGKILL if it does not end within 5 seconds. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited.finally(() => clearTimeout(timer));
  }
}

/** The unit in which Linux counts processor time: a hundredth of a second. */
const TICK_MS = 10;

/**
 * Returns the fields of /proc/PID/stat, starting with the state. Returns an empty array if the
 * process has ended.
 */
function statOf(pid: number | string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, which is in parentheses, may contain anything.
    return Array.from(text.slice(text.lastIndexOf(')') + 2).split(' '), Number);
  } catch {
    return [];
  }
}

const cpuMs = ([user = NaN, system = NaN]: number[]): number => (user + system) * TICK_MS;

/** Returns the processor time of a process, in milliseconds. */
export const cpuMsOf = (pid: number): number => cpuMs(statOf(pid).slice(11));

/**
 * Returns the processor time of all child processes together, including those that have ended, in
 * milliseconds. The children of a PostgreSQL server are its backends.
 */
export function cpuMsOfChildren(parentPid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(([, parent]) => parent === parentPid)
    .reduce((sum, stat) => sum + cpuMs(stat.slice(11)), cpuMs(statOf(parentPid).slice(13)));
}
