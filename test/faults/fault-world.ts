import { setTimeout as sleep } from 'node:timers/promises';
import { load, smallWorld } from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { TestService, type Credential, type JsonAnswer } from '../setup/test-service.js';
import { TcpProxy } from '../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

/** One buyer with a deal set, a session and an approved assistant. */
export interface FaultBuyer {
  readonly id: string;
  readonly cookie: string;
  readonly getPath: string;
}

/** The service with a wire to its database that can be cut, and someone to call it. */
export interface FaultWorld {
  readonly database: TestDatabase;
  readonly proxy: TcpProxy;
  readonly service: TestService;
  readonly anna: FaultBuyer;
  /** Both endpoints for both principals. */
  readonly calls: readonly Call[];
  readonly session: Credential;
  readonly assistant: Credential;
  stop(): Promise<void>;
}

export interface Call {
  readonly name: string;
  readonly path: string;
  readonly credential: Credential;
}

export interface FaultWorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A database of the caller's; it stays the caller's. */
  readonly database?: TestDatabase;
  readonly proxy?: TcpProxy;
}

export async function createFaultWorld(options: FaultWorldOptions = {}): Promise<FaultWorld> {
  const database = options.database ?? (await createTestDatabase());
  const anna = await loadBuyer(database);
  const proxy = options.proxy ?? (await TcpProxy.start(portOf(database.url)));
  const service = await TestService.start({
    database,
    env: { DATABASE_URL: through(proxy, database.url), ...options.env },
  });
  const session = { cookie: anna.cookie };
  const assistant = await service.tokenFor(anna.id);
  return {
    database,
    proxy,
    service,
    anna,
    session,
    assistant,
    calls: [
      { name: 'session list', path: LIST, credential: session },
      { name: 'session get', path: anna.getPath, credential: session },
      { name: 'assistant list', path: `${LIST}?since=1970-01-01T00:00:00Z`, credential: assistant },
      { name: 'assistant get', path: anna.getPath, credential: assistant },
    ],
    async stop() {
      proxy.heal();
      await service.stop();
      if (!options.proxy) await proxy.stop();
      if (!options.database) await database.drop();
    },
  };
}

export async function loadBuyer(database: { readonly url: string }): Promise<FaultBuyer> {
  const { anna, session, getPath, records } = smallWorld();
  // Her assistant sees changes, so its poll runs the statement with replies.
  await load(database, [...records, { ...anna, changesGranted: true }]);
  return { id: anna.id, cookie: session.cookie, getPath };
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** The same address by way of the proxy. */
export function through(proxy: TcpProxy, url: string): string {
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
}

export interface TimedAnswer extends JsonAnswer<{ error?: { code: string } }> {
  readonly tookMs: number;
  /** Of the error; undefined on a success. */
  readonly code: string | undefined;
}

/** One call, with how long it took; its form is checked against the API description. */
export async function timed(
  service: TestService,
  { path, credential }: Omit<Call, 'name'>,
): Promise<TimedAnswer> {
  const startedAt = performance.now();
  const answer = await service.get<{ error?: { code: string } }>(path, credential);
  return { ...answer, code: answer.body.error?.code, tookMs: performance.now() - startedAt };
}

/** Calls until it answers 200, and returns how long that took. */
export async function recoveryMs(
  service: TestService,
  call: Omit<Call, 'name'>,
  limitMs = 20_000,
): Promise<number> {
  const startedAt = performance.now();
  while ((await timed(service, call)).status !== 200) {
    if (performance.now() - startedAt > limitMs) throw new Error('no recovery in time');
    await sleep(10);
  }
  return performance.now() - startedAt;
}

export function slowest(answers: readonly TimedAnswer[]): number {
  return Math.max(...answers.map(({ tookMs }) => tookMs));
}

/** The service's connections to this database, and which of them run something. */
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
 * Makes every read of a deal set take so much longer inside the server, by a row policy that sleeps. It
 * holds for the reading roles; the owner sees no change. Sign-in stays fast.
 */
export async function slowReads(database: TestDatabase, seconds: number): Promise<void> {
  await database.query(`
    ALTER TABLE deal_set ENABLE ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS slow ON deal_set;
    CREATE POLICY slow ON deal_set USING (pg_sleep(${seconds})::text IS NOT NULL)`);
}

/** Callers who call one after the other without end, until stopped. */
export class Load {
  readonly answers: TimedAnswer[] = [];
  readonly #callers: Promise<void>[];
  #isDone = false;

  /** @param pauseMs between an answer and the caller's next call. */
  constructor(
    private readonly world: FaultWorld,
    callers: number,
    private readonly pauseMs = 2,
  ) {
    this.#callers = Array.from({ length: callers }, (_, index) =>
      this.#call(world.calls[index % world.calls.length]!),
    );
  }

  /** Codes of all answers so far but good ones, with how often each came. */
  get refusals(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { code } of this.answers)
      if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1;
    return counts;
  }

  async stop(): Promise<TimedAnswer[]> {
    this.#isDone = true;
    await Promise.all(this.#callers);
    return this.answers;
  }

  async #call(call: Call): Promise<void> {
    while (!this.#isDone) {
      this.answers.push(await timed(this.world.service, call));
      await sleep(this.pauseMs);
    }
  }
}
