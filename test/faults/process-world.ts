import { Agent, request } from 'node:http';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type ProcessOptions, type RunningProcess } from '../setup/start-process.js';
import { temporaryDirectory } from '../setup/test-cluster.js';
import type { TcpProxy } from '../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { LIST } from '../setup/http-call.js';
import { loadBuyer, portOf, through, type FaultBuyer } from './fault-world.js';

/** The built service as a process, on a database of its own, with one buyer to call as. */
export interface ProcessWorld {
  readonly database: TestDatabase;
  readonly anna: FaultBuyer;
  readonly service: RunningProcess;
  /** Stops what still runs and removes everything. */
  dispose(): Promise<void>;
}

/** @param wire a proxy between the service and its database, whose target is set here. */
export async function createProcessWorld(
  env: Readonly<Record<string, string>> = {},
  { wire, ...options }: ProcessOptions & { readonly wire?: TcpProxy } = {},
): Promise<ProcessWorld> {
  const database = await createTestDatabase();
  if (wire) wire.target = portOf(database.url);
  const anna = await loadBuyer(database);
  const directory = temporaryDirectory('process');
  const service = await startProcess({
    directory,
    ...options,
    env: {
      DATABASE_URL: wire ? through(wire, database.url) : database.url,
      READ_RATE_LIMIT: '1000000',
      ...env,
    },
  });
  return {
    database,
    anna,
    service,
    async dispose() {
      await service.stop('SIGKILL');
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** How one call went: its answer, or why there was none. */
export interface Outcome {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** Of the connection; undefined when there was an answer. */
  readonly error: string | undefined;
  readonly tookMs: number;
}

/** One call on a connection of the agent. Never rejects. */
export function call(
  baseUrl: string,
  anna: FaultBuyer,
  agent: Agent,
  path = LIST,
): Promise<Outcome> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({
        status: undefined,
        retryAfter: undefined,
        text: '',
        error: error.code ?? error.message,
        tookMs: performance.now() - startedAt,
      });
    const sent = request(
      `${baseUrl}${path}`,
      { agent, headers: { cookie: `__Host-session=${anna.cookie}` } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', fail);
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            retryAfter: response.headers['retry-after'],
            text,
            error: undefined,
            tookMs: performance.now() - startedAt,
          }),
        );
      },
    );
    sent.on('error', fail);
    sent.end();
  });
}

/** Calls at a steady rate, independent of the responses, as many independent clients would. */
export async function callAtRate(
  { service, anna }: ProcessWorld,
  perSecond: number,
  seconds: number,
  path = LIST,
): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true });
  const calls: Promise<Outcome>[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < seconds * 1000) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    while (calls.length < due) calls.push(call(service.baseUrl, anna, agent, path));
    await sleep(5);
  }
  const outcomes = await Promise.all(calls);
  agent.destroy();
  return outcomes;
}

/** A value of the process's metrics, by the start of its line. */
export async function metric({ service }: ProcessWorld, line: string): Promise<number> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
  const found = text.split('\n').find((candidate) => candidate.startsWith(`${line} `));
  return Number(found?.slice(line.length));
}
