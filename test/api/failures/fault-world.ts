import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { TimeLimits } from '../../../src/kernel/time-limits.js';
import { insert, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { LIST, type HttpResponse } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** One buyer with a deal set, a session and an approved assistant. */
export interface FaultBuyer {
  readonly id: string;
  readonly cookie: string;
  readonly getPath: string;
}

export interface Call {
  readonly path: string;
  readonly credential: Credential;
}

/** A response, and the time until it arrived, in milliseconds. */
export type TimedResponse = HttpResponse & { readonly tookMs: number };

/** The service with a proxy to its database that can fail, and callers of the service. */
export interface FaultWorld {
  readonly database: TestDatabase;
  readonly proxy: TcpProxy;
  readonly service: TestService;
  readonly anna: FaultBuyer;
  /** Both endpoints for both principals: list and get of the session, then of the assistant. */
  readonly calls: readonly [Call, Call, Call, Call];
  readonly session: Credential;
  readonly assistant: Credential;
  /** Makes each of `calls` the given number of times, all at once. */
  callEveryEndpoint(times?: number): Promise<TimedResponse[]>;
  /** Repeats the calls until each one gets 200. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

export interface FaultWorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A database that the caller made and drops. */
  readonly database?: TestDatabase;
  readonly proxy?: TcpProxy;
  readonly limits?: Partial<TimeLimits>;
}

export async function createFaultWorld(options: FaultWorldOptions = {}): Promise<FaultWorld> {
  const database = options.database ?? (await createTestDatabase());
  const anna = await loadBuyer(database);
  const proxy = options.proxy ?? (await TcpProxy.start(portOf(database.url)));
  const service = await TestService.start({
    database,
    env: { DATABASE_URL: proxiedUrl(proxy, database.url), ...options.env },
    ...(options.limits && { limits: options.limits }),
  });
  const session = { cookie: anna.cookie };
  const assistant = await service.tokenFor(anna.id);
  const calls = [
    { path: LIST, credential: session },
    { path: anna.getPath, credential: session },
    { path: `${LIST}?since=1970-01-01T00:00:00Z`, credential: assistant },
    { path: anna.getPath, credential: assistant },
  ] as const;
  return {
    database,
    proxy,
    service,
    anna,
    session,
    assistant,
    calls,
    callEveryEndpoint(times = 1) {
      const all = Array.from({ length: times }, () => calls).flat();
      return Promise.all(all.map((call) => callTimed(service, call)));
    },
    async recover() {
      for (const call of calls)
        await eventually(async () => expect((await callTimed(service, call)).status).toBe(200));
    },
    async stop() {
      proxy.heal();
      await service.stop();
      if (!options.proxy) await proxy.stop();
      if (!options.database) await database.drop();
    },
  };
}

export async function loadBuyer(database: TestDatabase): Promise<FaultBuyer> {
  const { anna, session, getPath, records } = smallWorld();
  // The buyer granted changes, so the assistant's poll runs the statement with replies.
  await insert(
    database,
    records.map((made) => (made === anna ? { ...anna, changesGranted: true } : made)),
  );
  return { id: anna.id, cookie: session.cookie, getPath };
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Returns the address of the database with the host and port of the proxy. */
export function proxiedUrl(proxy: TcpProxy, url: string): string {
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
}

/** Makes one call and checks its response against the API description. */
export async function callTimed(service: TestService, call: Call): Promise<TimedResponse> {
  const startedAt = performance.now();
  const response = await service.get(call.path, call.credential);
  return { ...response, tookMs: performance.now() - startedAt };
}

export function slowestMs(responses: readonly TimedResponse[]): number {
  return Math.max(...responses.map(({ tookMs }) => tookMs));
}

/** Asserts that all responses have this status and code. */
export function expectEveryResponse(
  responses: readonly TimedResponse[],
  status: number,
  code?: string,
): void {
  for (const response of responses)
    expect([response.status, response.code]).toEqual([status, code]);
}

/** Counts the service's connections to this database, and those that run a statement. */
export async function serverConnections(
  database: TestDatabase,
): Promise<{ total: number; active: number }> {
  const [row] = await database.query<{ total: number; active: number }>(
    `SELECT count(*)::int AS total, count(*) FILTER (WHERE state = 'active')::int AS active
     FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'deal-sets %'`,
  );
  return row!;
}

/**
 * Delays every read of a deal set inside the server, by a row policy that sleeps. The policy
 * applies to the reading roles and not to the owner. Sign-in stays fast.
 */
export async function slowReads(database: TestDatabase, seconds: number): Promise<void> {
  await database.query(`
    ALTER TABLE deal_sets.deal_set ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS slow ON deal_sets.deal_set;
    CREATE POLICY slow ON deal_sets.deal_set USING (pg_sleep(${seconds})::text IS NOT NULL)`);
}

/** Locks price checks and lists for all readers until the returned function is called. */
export async function lockReads(database: TestDatabase): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: database.url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(
    'BEGIN; LOCK TABLE deal_sets.price_check, deal_sets.request_feed IN ACCESS EXCLUSIVE MODE',
  );
  return () => holder.end();
}

/** Callers that each make one call after another until they are stopped. */
export class LoadGenerator {
  readonly responses: TimedResponse[] = [];
  readonly #callers: Promise<void>[];
  #isDone = false;

  constructor(world: FaultWorld, callers: number) {
    this.#callers = Array.from({ length: callers }, async (_, index) => {
      while (!this.#isDone) {
        this.responses.push(
          await callTimed(world.service, world.calls[index % world.calls.length]!),
        );
        await sleep(2);
      }
    });
  }

  async stop(): Promise<TimedResponse[]> {
    this.#isDone = true;
    await Promise.all(this.#callers);
    return this.responses;
  }
}
