import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/embedded-postgres/free-port.js';

/** The built service, the floor, or a peer. */
export type ServerName = 'service' | 'A' | 'B' | 'R' | 'D';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;

const SCRIPTS: Readonly<Record<ServerName, string>> = {
  service: 'dist/main.js',
  A: 'bench-results/build/test/bench/peer-a/server.js',
  B: 'bench-results/build/test/bench/peer-b/server.js',
  /** B on the service's read model. */
  R: 'bench-results/build/test/bench/peer-b/server.js',
  D: 'bench-results/build/test/bench/peer-d/server.js',
};

/** A server under test, as a process of its own. */
export class ServerProcess {
  private constructor(
    readonly name: ServerName,
    readonly url: string,
    /** Milliseconds from the start of the process to its first answer to a signed-in list. */
    readonly firstAnswerMs: number,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts a server and waits until it answers.
   *
   * @param headers of a signed-in caller.
   * @param nodeOptions further options of Node, for a profile say.
   */
  static async start(
    name: ServerName,
    environment: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    nodeOptions: readonly string[] = [],
  ): Promise<ServerProcess> {
    const port = await freePort();
    const logs = path.resolve('bench-results', 'logs');
    mkdirSync(logs, { recursive: true });
    const log = openSync(path.join(logs, `${name}-${port}.log`), 'w');
    const startedAt = performance.now();
    // The option of `npm start`, given to all alike.
    const child = spawn(
      process.execPath,
      ['--max-semi-space-size=64', ...nodeOptions, SCRIPTS[name]],
      {
        env: {
          PATH: process.env['PATH'],
          ...environment,
          ...(name === 'R' ? { PEER_READS: 'read-model' } : {}),
          HOST: '127.0.0.1',
          PORT: String(port),
        },
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
    const url = `http://127.0.0.1:${port}`;
    try {
      await firstAnswer(`${url}/api/v1/deal-sets`, headers, child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    return new ServerProcess(name, url, performance.now() - startedAt, child);
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

async function firstAnswer(
  url: string,
  headers: Readonly<Record<string, string>>,
  child: ChildProcess,
): Promise<void> {
  const until = performance.now() + START_LIMIT_MS;
  for (;;) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    if (child.exitCode !== null)
      throw new Error(`${child.spawnfile} ended; see bench-results/logs`);
    if (performance.now() > until) {
      throw new Error(
        `a server did not answer (${response?.status ?? 'no connection'}); see bench-results/logs`,
      );
    }
    await sleep(5);
  }
}
