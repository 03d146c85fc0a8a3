import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';

/** The built service, that of another checkout (`--against`), and the servers it is compared with. */
export type ServerName = 'service' | 'before' | 'B' | 'D';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;

/** What the service writes when the database lacks migrations of its own. */
const OUT_OF_DATE = 'database schema out of date';
export const SCHEMA_REFUSED =
  "refuses the schema of this checkout's migrations: both must expect the same one";

/** A server under test, as a process of its own. */
export class ServerProcess {
  private constructor(
    readonly name: ServerName,
    readonly url: string,
    private readonly child: ChildProcess,
    /** Milliseconds from the start of the process to its first answer to a signed-in list. */
    readonly firstAnswerMs: number,
  ) {}

  /**
   * Starts a server and waits until it answers.
   *
   * @param headers of a signed-in caller.
   */
  static async start(
    name: ServerName,
    script: string,
    environment: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<ServerProcess> {
    const port = await freePort();
    const logs = path.resolve('bench-results', 'logs');
    mkdirSync(logs, { recursive: true });
    const logFile = path.join(logs, `${name}-${port}.log`);
    const log = openSync(logFile, 'w');
    const startedAt = performance.now();
    // The option of `npm start`, given to all alike.
    const child = spawn(process.execPath, ['--max-semi-space-size=64', script], {
      env: { PATH: process.env['PATH'], ...environment, HOST: '127.0.0.1', PORT: String(port) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const url = `http://127.0.0.1:${port}`;
    try {
      for (;;) {
        const response = await fetch(`${url}/api/v1/deal-sets`, { headers }).catch(() => undefined);
        await response?.arrayBuffer();
        if (response?.status === 200) break;
        if (response?.status === 503 && readFileSync(logFile, 'utf8').includes(OUT_OF_DATE))
          throw new Error(`${script} ${SCHEMA_REFUSED}`);
        const hasEnded = child.exitCode !== null;
        if (hasEnded || performance.now() - startedAt > START_LIMIT_MS) {
          const problem = hasEnded
            ? 'ended'
            : `did not answer (${response?.status ?? 'no connection'})`;
          throw new Error(`${script} ${problem}; see ${logFile}`);
        }
        await sleep(5);
      }
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    return new ServerProcess(name, url, child, performance.now() - startedAt);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const isStopped = await Promise.race([
      exited.then(() => true),
      sleep(STOP_LIMIT_MS, false, { ref: false }),
    ]);
    if (!isStopped) this.child.kill('SIGKILL');
    await exited;
  }
}
