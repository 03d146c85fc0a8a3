import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/embedded-postgres/src/free-port.js';
import { eventually } from '../setup/eventually.js';
import { cookie, LIST } from '../setup/http-call.js';
import { describeWithNginx, NginxServer } from '../setup/nginx-server.js';
import { startProcess, type RunningProcess } from '../setup/start-process.js';
import { World } from '../setup/world.js';

const SERVER_NAME = 'api.deal-sets.test';
/** Together at most 40 requests in a second: nginx admits 50 from one address. */
const CLIENTS = 8;
const PAUSE_MS = 200;
/** Requests before the first instance stops, and after the last one has started. */
const MARGIN = 100;

describeWithNginx('a load through nginx while instances are replaced', () => {
  let world: World;
  let nginx: NginxServer | undefined;
  const instances: RunningProcess[] = [];

  beforeAll(async () => {
    world = await World.create();
  });
  afterAll(async () => {
    await nginx?.stop();
    await Promise.all(instances.map((instance) => instance.stop('SIGKILL')));
    await world.stop();
  });

  const startInstance = (port: number): Promise<RunningProcess> =>
    startProcess({
      PORT: String(port),
      DATABASE_URL: world.database.url,
      READ_RATE_LIMIT: '1000000',
      SHUTDOWN_DELAY_MS: '5000',
      SHUTDOWN_GRACE_MS: '30000',
    });

  /** The status of one request through nginx, or the code of its error. */
  function read(agent: Agent, port: number, ca: string): Promise<number | string> {
    return new Promise((resolve) => {
      const headers = { ...cookie(world.buyer.session.cookie).headers, host: SERVER_NAME };
      const options = { host: '127.0.0.1', port, path: LIST, headers, agent };
      const sent = request({ ...options, servername: SERVER_NAME, ca }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
      sent.end();
    });
  }

  it('loses no request with a delay of 5 s, which outlasts the time that nginx leaves an instance out', async () => {
    const ports = [await freePort(), await freePort()];
    for (const port of ports) instances.push(await startInstance(port));
    const proxy = await NginxServer.start(
      SERVER_NAME,
      ports.map((port) => `127.0.0.1:${port}`),
    );
    nginx = proxy;
    const agent = new Agent({ keepAlive: true });
    const outcomes: (number | string)[] = [];
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isDone) {
        outcomes.push(await read(agent, proxy.port, proxy.certificate));
        await sleep(PAUSE_MS);
      }
    });
    const untilMore = (): Promise<void> => {
      const wanted = outcomes.length + MARGIN;
      return eventually(() => expect(outcomes.length).toBeGreaterThan(wanted));
    };
    try {
      await untilMore();
      // As an orchestrator does it: the next instance stops as soon as the last one is ready.
      for (const [index, port] of ports.entries()) {
        expect(await instances[index]!.stop('SIGTERM')).toBe(0);
        instances[index] = await startInstance(port);
      }
      await untilMore();
      // The load reaches both new instances. nginx can leave the last one out for some seconds.
      for (const instance of instances) {
        await eventually(() => expect(instance.output()).toContain('"msg":"request"'));
      }
    } finally {
      isDone = true;
      await Promise.all(clients);
      agent.destroy();
    }
    expect(outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
  });
});
