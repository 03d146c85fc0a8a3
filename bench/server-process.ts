import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/embedded-postgres/src/free-port.js';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;
const LOGS = path.resolve('bench-results', 'logs');

/** A server under test, as a process of its own. */
export class ServerProcess {
  private constructor(
    readonly name: string,
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts a server and waits until it answers.
   *
   * @param headers of a signed-in caller.
   */
  static async start(
    name: string,
    script: string,
    environment: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<ServerProcess> {
    const port = await freePort();
    mkdirSync(LOGS, { recursive: true });
    const logFile = path.join(LOGS, `${name}.log`);
    const log = openSync(logFile, 'w');
    const startedAt = performance.now();
    // The option of `npm start`, given to all alike.
    const child = spawn(process.execPath, ['--max-semi-space-size=64', script], {
      env: { PATH: process.env['PATH'], ...environment, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const url = `http://127.0.0.1:${port}`;
    for (;;) {
      const response = await fetch(`${url}/api/v1/deal-sets`, { headers }).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.status === 200) return new ServerProcess(name, url, child);
      if (child.exitCode !== null || performance.now() - startedAt > START_LIMIT_MS) {
        child.kill('SIGKILL');
        throw new Error(`${script} does not answer (${response?.status}); see ${logFile}`);
      }
      await sleep(5);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited.finally(() => clearTimeout(timer));
  }
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Fields of /proc/PID/stat from the state on; none of a process that has ended. */
function statOf(pid: number | string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    return Array.from(text.slice(text.lastIndexOf(')') + 2).split(' '), Number);
  } catch {
    return [];
  }
}

const cpuMs = ([user = NaN, system = NaN]: number[]): number => (user + system) * TICK_MS;

/** Processor time of a process. */
export const cpuMsOf = (pid: number): number => cpuMs(statOf(pid).slice(11));

/**
 * Of a process's children together, also of those that have ended: PostgreSQL's backends under its
 * server.
 */
export function cpuMsOfChildren(parentPid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(([, parent]) => parent === parentPid)
    .reduce((sum, stat) => sum + cpuMs(stat.slice(11)), cpuMs(statOf(parentPid).slice(13)));
}
