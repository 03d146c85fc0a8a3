import 'reflect-metadata';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { loadServiceSettings } from '../config/service-settings.js';
import { JsonLogger } from '../observability/json-logger.js';
import { JoinedMetrics, Metrics } from '../observability/metrics.js';
import { ConnectionLimit } from './connection-limit.js';

describe('the limit of connections', () => {
  const lines: unknown[] = [];
  const metrics = new Metrics(new JoinedMetrics());
  const sockets: Socket[] = [];
  let server: Server;
  let skippedMs = 0;

  beforeAll(async () => {
    const logger = new JsonLogger('info', {
      write: (line: string) => void lines.push(JSON.parse(line)),
    });
    const { settings } = loadServiceSettings({ DATABASE_URL: 'postgres://a@127.0.0.1/b' });
    server = createServer();
    // 128 for the process and 50 for its pools leave two.
    new ConnectionLimit(metrics, logger, settings).watch(server, 180);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const realNow = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + skippedMs);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    for (const socket of sockets) socket.destroy();
    const closed = once(server, 'close');
    server.close();
    await closed;
  });

  const open = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    return socket;
  };
  const openDropped = async (): Promise<void> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'close');
  };

  it('counts each connection above it, and logs one line a minute', async () => {
    await open();
    await open();
    for (let count = 0; count < 3; count += 1) await openDropped();
    const line = { level: 'warn', msg: 'connections dropped', limit: 2 };
    expect(lines).toMatchObject([{ ...line, count: 1 }]);
    skippedMs = 60_000;
    await openDropped();
    expect(lines).toMatchObject([
      { ...line, count: 1 },
      { ...line, count: 3 },
    ]);
    expect(await metrics.registry.metrics()).toContain('deal_sets_dropped_connections_total 4');
  });
});
