import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { eventually } from '../../setup/eventually.js';
import { call, cookie, LIST, type HttpResponse } from '../../setup/http-call.js';
import { runCommand } from '../../setup/run-command.js';
import { childEnvironment } from '../../setup/child-environment.js';
import { startProcess, type RunningProcess } from '../../setup/start-process.js';
import { portOf, proxiedUrl, TcpProxy } from '../../setup/tcp-proxy.js';
import { RawClient } from '../../api/failures/raw-client.js';
import { World } from '../../setup/world.js';
import { slowReads } from '../../setup/slow-reads.js';

const NOWHERE = 'postgres://user:secret@127.0.0.1:1/none';
/** The line of an orderly end. A line that is being written at the exit can arrive after it. */
const STOPPED = expect.objectContaining({ msg: 'stopped' }) as unknown;
const fileUrl = (name: string): string =>
  pathToFileURL(path.resolve(__dirname, '../../..', name)).href;

/** The built service, as an operator runs it. */
describe('the process', () => {
  let world: World;
  let proxy: TcpProxy;
  const started: RunningProcess[] = [];

  beforeAll(async () => {
    world = await World.create();
    proxy = await TcpProxy.start(portOf(world.database.url));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.stop('SIGKILL')));
    proxy.heal();
  });
  afterAll(async () => {
    await proxy.stop();
    await world.stop();
  });

  async function start(
    env: Readonly<Record<string, string>> = {},
    health: 'ready' | 'live' = 'ready',
  ): Promise<RunningProcess> {
    const service = await startProcess(
      { DATABASE_URL: proxiedUrl(proxy, world.database.url), READ_RATE_LIMIT: '1000000', ...env },
      health,
    );
    started.push(service);
    return service;
  }
  const callList = ({ port }: RunningProcess, agent?: Agent): Promise<HttpResponse> =>
    call(port, LIST, { ...cookie(world.buyer.session.cookie), ...(agent && { agent }) });
  const linesOf = (service: RunningProcess): Record<string, unknown>[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** Locks the tables for all readers until the connection ends. */
  async function holdTables(tables: string): Promise<Client> {
    const holder = new Client({ connectionString: world.database.url });
    await holder.connect();
    await holder.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
    return holder;
  }
  /** Waits until a statement of the service waits for a lock. */
  const untilWaiting = (): Promise<void> =>
    eventually(async () => {
      const waiting = await world.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND application_name LIKE 'deal-sets %' AND wait_event_type = 'Lock'`,
      );
      expect(waiting).not.toEqual([]);
    });

  it('is alive but not ready without its database; logs that once, with its address and the development issuer', async () => {
    const env = { DATABASE_URL: NOWHERE, HOST: '0.0.0.0', DEVELOPMENT_ISSUER: 'on' };
    const service = await start(env, 'live');
    const { port } = service;
    const [live, ready] = [await call(port, '/health/live'), await call(port, '/health/ready')];
    expect([live.status, live.text]).toEqual([200, '{"status":"ok"}']);
    expect([ready.status, ready.text]).toEqual([
      503,
      '{"status":"unavailable","reason":"database_unreachable"}',
    ]);
    for (const { headers } of [live, ready])
      expect(headers).toMatchObject({
        'cache-control': 'private, no-store',
        'service-api-version': '2026-10-13',
      });
    const message = 'database unreachable, responding with 503: check DATABASE_URL';
    await eventually(() =>
      expect(linesOf(service).filter(({ msg }) => msg === message)).toHaveLength(1),
    );
    expect(linesOf(service)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ level: 'warn', issuer: 'urn:deal-sets:development-issuer' }),
        expect.objectContaining({
          msg: 'listening',
          version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
          address: { address: '0.0.0.0', family: 'IPv4', port },
        }),
      ]),
    );
    expect(service.output()).not.toContain('secret');

    const taken = await runCommand(['serve'], {
      env: {
        PORT: String(await freePort()),
        MANAGEMENT_PORT: String(port),
        DATABASE_URL: world.database.url,
        AUTH_ISSUER: 'https://issuer.example',
        AUTH_AUDIENCE: 'api',
        AUTH_JWKS_URL: 'http://127.0.0.1:1/jwks',
      },
    });
    expect([taken.exitCode, taken.stderr]).toEqual([
      1,
      `Port ${port} is in use: stop the process that listens there, or set MANAGEMENT_PORT to another port.\n`,
    ]);
    expect(taken.stdout).toContain('"issuer":"https://issuer.example"');
    // The database is reachable; only the start has failed.
    expect(taken.stdout).not.toMatch(/"level":"error"/);
    expect(taken.stdout).not.toContain('urn:deal-sets:development-issuer');
  });

  it('responds to a stuck request with 503 at the deadline after SIGTERM, and ends in order', async () => {
    const service = await start({ REQUEST_DEADLINE_MS: '2000' });
    const holder = await holdTables('deal_sets.price_check, deal_sets.request_feed');
    const stuck = callList(service);
    await untilWaiting();
    const exitCode = await service.stop('SIGTERM');
    const { status, code, headers } = await stuck;
    await holder.end();
    expect([exitCode, status, code, headers['connection']]).toEqual([
      0,
      503,
      'unavailable',
      'close',
    ]);
    expect(linesOf(service)).toContainEqual(STOPPED);
    expect(service.output()).not.toContain(world.buyer.session.cookie);
  });

  it.each([
    ['on the second signal', {}, 'second signal, exiting'],
    [
      'when the grace period is over',
      { SHUTDOWN_GRACE_MS: '200' },
      'shutdown grace period exceeded, exiting',
    ],
  ])('ends at once %s, with work left', async (when, env, message) => {
    const service = await start(env);
    const holder = await holdTables('deal_sets.buyer_session');
    const open = callList(service);
    open.catch(() => undefined);
    await untilWaiting();
    const ended = service.stop('SIGTERM');
    await eventually(() => expect(service.output()).toContain('"msg":"stopping"'));
    if (when === 'on the second signal') process.kill(service.pid, 'SIGTERM');
    expect(await ended).toBe(1);
    await expect(open).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(service.output()).toContain(message);
    await holder.end();
  });

  it('cuts clients that sent nothing or half a request when the last response is due, and ends in order within the grace period', async () => {
    const service = await start({ REQUEST_DEADLINE_MS: '1000', SHUTDOWN_GRACE_MS: '45000' });
    const line = `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\n`;
    const sent = [
      '',
      line.slice(0, 9),
      `${line}Cookie: `,
      `${line}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ];
    const clients = await Promise.all(
      sent.map(async (beginning) => {
        const client = await RawClient.open(service.port);
        client.send(beginning);
        return client;
      }),
    );
    // The path has no POST, so the response comes before the body: by now all are accepted.
    expect((await clients[3]!.responses('POST'))[0]!.status).toBe(404);
    // One goes on sending without an end.
    const dripping = setInterval(() => clients[2]!.send('x'), 100);
    const exitCode = await service.stop('SIGTERM');
    clearInterval(dripping);
    // A process that exceeds its grace period ends with another code.
    expect(exitCode).toBe(0);
    expect(linesOf(service)).toContainEqual(STOPPED);
    await Promise.all(clients.map((client) => client.closed()));
    // They were cut, not rejected at the limits for headers, which the service also has.
    expect(clients.slice(0, 3).map(({ received }) => received)).toEqual(['', '', '']);
  });

  it('still accepts new connections during the delay of a stop, and is not ready meanwhile', async () => {
    // It lasts until the second signal, which ends the process at once.
    const service = await start({ SHUTDOWN_DELAY_MS: '600000' });
    const stopped = service.stop('SIGTERM');
    await eventually(async () => {
      const { status, text } = await call(service.port, '/health/ready');
      expect([status, text]).toEqual([503, '{"status":"unavailable","reason":"stopping"}']);
    });
    const list = await callList(service);
    expect([list.status, list.headers['connection']]).toEqual([200, 'close']);
    process.kill(service.pid, 'SIGTERM');
    expect(await stopped).toBe(1);
  });

  it('ends in order after the delay of a stop', async () => {
    const delayMs = 1_000;
    const service = await start({ SHUTDOWN_DELAY_MS: String(delayMs) });
    const stoppedAt = performance.now();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(delayMs);
    expect(linesOf(service)).toContainEqual(STOPPED);
  });

  it('ends on SIGINT when the service and `afterStop` have ended', async () => {
    const code = `const { startService } = await import('${fileUrl('dist/standalone.js')}');
      await startService({
        settings: { isProduction: false, database: { url: '${NOWHERE}' } },
        server: { port: ${await freePort()} },
        afterStop: async () => console.log('after the stop') });
      console.log('it listens');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: childEnvironment(),
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(() => expect(output).toContain('it listens'));
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output).toContain('after the stop');
  });

  it('loses no request on a kept connection of clients that leave during the delay of a stop', async () => {
    const service = await start({ SHUTDOWN_DELAY_MS: '15000', SHUTDOWN_GRACE_MS: '45000' });
    await slowReads(world.database, 0.02);
    const agent = new Agent({ keepAlive: true, maxSockets: 24 });
    /** Statuses, or the codes of errors. */
    const outcomes: unknown[] = [];
    let isLeaving = false;
    const client = async (): Promise<void> => {
      while (!isLeaving) {
        const outcome = await callList(service, agent).then(
          ({ status }) => status,
          (error: unknown) => (error as NodeJS.ErrnoException).code,
        );
        outcomes.push(outcome);
      }
    };
    const clients = Array.from({ length: 24 }, client);
    await eventually(() => expect(outcomes.length).toBeGreaterThan(100));
    const stopped = service.stop('SIGTERM');
    await eventually(async () =>
      expect((await call(service.port, '/health/ready')).status).toBe(503),
    );
    const before = outcomes.length;
    await eventually(() => expect(outcomes.length).toBeGreaterThan(before));
    isLeaving = true;
    await Promise.all(clients);
    agent.destroy();
    await slowReads(world.database, 0);
    expect(await stopped).toBe(0);
    expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
    const backends = await world.database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'deal-sets %'`,
    );
    expect(backends).toEqual([]);
  });

  it('names a recorded span and its metric by the pattern of the route, and logs its ids', async () => {
    const register = fileUrl('test/setup/record-spans.js');
    const service = await start({ NODE_OPTIONS: `--import ${register}` }, 'live');
    const route = '/api/v1/deal-sets/:id';
    const { port } = service;
    expect((await call(port, `${LIST}/anything`)).status).toBe(401);
    await call(port, '/nowhere');
    await eventually(() => {
      const lines = linesOf(service);
      const named = lines.find(({ span }) => span === `GET ${route}`);
      expect(named?.['attributes']).toMatchObject({ 'http.route': route });
      const { traceId: trace_id, spanId: span_id } = named ?? {};
      expect(lines).toContainEqual(
        expect.objectContaining({ route, msg: 'request', trace_id, span_id }),
      );
      const metric = 'http.server.request.duration';
      const durations = lines.filter((line) => line['metric'] === metric);
      expect(durations.map(({ attributes }) => attributes)).toContainEqual(
        expect.objectContaining({ 'http.route': route, 'http.response.status_code': 401 }),
      );
      // A path without a route is the caller's text, so the span is not named by it.
      const spans = lines.map(({ span }) => String(span));
      expect(spans.filter((span) => span.includes('nowhere'))).toEqual([]);
    });
  });
});
