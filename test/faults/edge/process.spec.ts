import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../setup/eventually.js';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { runCommand } from '../../setup/run-command.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { expectError, get, header, RawClient } from './raw-http.js';

const MAIN = path.resolve(__dirname, '../../../dist/main.js');
const INDEX = path.resolve(__dirname, '../../../dist/index.js');

/** A session cookie of possible shape: signing in with it asks the database, which has fallen silent. */
const HELD = get('/api/v1/deal-sets', 'Cookie: __Host-session=0123456789abcdef0123456789abcdef');

/** The built service as a process of its own, in front of a database that accepts and says nothing. */
class ServiceProcess {
  output = '';

  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
    private readonly silent: Server,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port: databasePort } = silent.address() as AddressInfo;
    const port = await freePort();
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: `postgres://user:secret@127.0.0.1:${databasePort}/none`,
        PORT: String(port),
        ...env,
      },
    });
    const service = new ServiceProcess(child, port, silent);
    child.stdout.on('data', (chunk: Buffer) => (service.output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (service.output += chunk.toString()));
    await service.#listening();
    return service;
  }

  async #listening(): Promise<void> {
    const end = Date.now() + 20_000;
    while (Date.now() < end) {
      const client = await RawClient.open(this.port).catch(() => undefined);
      client?.destroy();
      if (client) return;
      await sleep(20);
    }
    throw new Error(`the service did not listen: ${this.output}`);
  }

  async exit(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async dispose(): Promise<void> {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
    await this.exit();
    this.silent.close();
  }
}

describe('the process', () => {
  let service: ServiceProcess;
  let database: TestDatabase;
  let proxy: TcpProxy;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await TcpProxy.start(Number(new URL(database.url).port));
  });
  afterEach(async () => {
    await service.dispose();
    proxy.heal();
  });
  afterAll(async () => {
    await proxy.stop();
    await database.drop();
  });

  /** Sends a request to a ready service whose database falls silent: its look-up of sign-in hangs. */
  async function hold(env: NodeJS.ProcessEnv = {}): Promise<RawClient> {
    const through = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
    service = await ServiceProcess.start({ DATABASE_URL: through, ...env });
    await eventually(async () => {
      const ready = await fetch(`http://127.0.0.1:${service.port}/health/ready`);
      expect(ready.status).toBe(200);
    });
    proxy.partition();
    const client = await RawClient.open(service.port);
    client.send(HELD);
    await sleep(100);
    return client;
  }

  it('is alive but not ready without its database', async () => {
    service = await ServiceProcess.start();
    const client = await RawClient.open(service.port);
    client.send(get('/health/live') + get('/health/ready'));
    const [live, ready] = await client.answers(['GET', 'GET']);
    expect([live!.status, live!.body]).toEqual([200, '{"status":"ok"}']);
    expect([ready!.status, ready!.body]).toEqual([
      503,
      '{"status":"unavailable","reason":"database_unreachable"}',
    ]);
    for (const answer of [live!, ready!]) {
      expect(header(answer, 'cache-control')).toBe('private, no-store');
      expect(header(answer, 'service-api-version')).toBe('2026-10-13');
    }
    client.destroy();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends in order on %s', async (signal) => {
    const client = await hold();
    service.child.kill(signal);
    const [answer] = await client.answers(['GET']);
    expectError(answer!, 503, 'auth_unverifiable');
    expect(header(answer!, 'connection')).toBe('close');
    expect(await service.exit()).toBe(0);
    const last = service.output.trimEnd().split('\n').at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ msg: 'stopped' });
    expect(service.output).not.toContain('secret');
    expect(service.output).not.toContain('0123456789abcdef');
  });

  it('ends at once on the second signal', async () => {
    const client = await hold();
    service.child.kill('SIGTERM');
    await sleep(100);
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(1);
    expect(client.received).toBe('');
    expect(service.output).toContain('second signal, exiting');
  });

  it('ends when all of its services have stopped, with an exit code for all', async () => {
    const ports = [await freePort(), await freePort()];
    const url = 'postgres://user:secret@127.0.0.1:1/none';
    const code = `const { startService, loadSettings } = await import(${JSON.stringify(INDEX)});
      for (const PORT of ${JSON.stringify(ports.map(String))})
        await startService({ settings: loadSettings({ PORT, DATABASE_URL: '${url}' }),
          afterStop: async () => console.log('stopped ' + PORT) });
      console.log('both listen');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(() => expect(output).toContain('both listen'), 20_000);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    for (const port of ports) expect(output).toContain(`stopped ${port}`);
  });

  it('ends when the grace period is over, with work left', async () => {
    await hold({ SHUTDOWN_GRACE_MS: '200' });
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(1);
    expect(service.output).toContain('shutdown grace period exceeded, exiting');
  });

  it('logs the issuer in use and the address it listens on', async () => {
    service = await ServiceProcess.start({ HOST: '0.0.0.0', DEVELOPMENT_ISSUER: 'on' });
    await eventually(() => expect(service.output).toContain('"listening"'));
    const lines = service.output
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', issuer: 'urn:deal-sets:development-issuer' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'listening',
        address: { address: '0.0.0.0', family: 'IPv4', port: service.port },
      }),
    );
    await service.dispose();
    const issuer = 'https://issuer.example';
    service = await ServiceProcess.start({
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: 'api',
      AUTH_JWKS_URL: 'http://127.0.0.1:1/jwks',
    });
    await eventually(() => expect(service.output).toContain(`"issuer":"${issuer}"`));
    expect(service.output).not.toContain('urn:deal-sets:development-issuer');
  });

  it('logs once that its database is away', async () => {
    service = await ServiceProcess.start({
      DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none',
    });
    const said = 'database unreachable, responding with 503: check DATABASE_URL';
    await eventually(() => expect(service.output.split(said)).toHaveLength(2));
    expect(service.output).not.toContain('secret');
  });

  it('names the setting when its management port is taken', async () => {
    service = await ServiceProcess.start();
    const port = await freePort();
    const { exitCode, stderr } = await runCommand(['serve'], {
      env: {
        PORT: String(port),
        MANAGEMENT_PORT: String(service.port),
        DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none',
      },
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `Port ${service.port} is taken: stop what listens there, or set MANAGEMENT_PORT to another.\n`,
    });
  });
});
