import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import { eventually } from '../../setup/eventually.js';
import { startEdgeApp, type EdgeApp } from './edge-app.js';
import { get, GOOD } from './raw-cases.js';
import { header, RawClient } from './raw-http.js';

describe('stopping', () => {
  let edge: EdgeApp;

  beforeEach(async () => {
    edge = await startEdgeApp({ REQUEST_DEADLINE_MS: '3000' });
  });

  afterEach(async () => {
    await edge.app.close();
  });

  it('finishes what was accepted, with Connection: close, and listens no more', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/600'));
    await sleep(50);
    const stopped = edge.app.close();
    await sleep(50);
    await expect(RawClient.open(edge.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    expect(header(answer!, 'connection')).toBe('close');
    await client.closed();
    await stopped;
  });

  it('answers the request that a kept connection brings just after the stop began', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD);
    await client.answers(['GET']);
    const stopped = edge.app.close();
    await sleep(50);
    client.send(GOOD);
    const [, second] = await client.answers(['GET', 'GET']);
    expect(second!.status).toBe(200);
    expect(header(second!, 'connection')).toBe('close');
    await client.closed();
    await stopped;
  });

  it('is held up no longer than the deadline by clients that are idle, silent or in the middle of a request', async () => {
    const idle = await RawClient.open(edge.port);
    idle.send(GOOD);
    await idle.answers(['GET']);
    const silent = await RawClient.open(edge.port);
    const half = await RawClient.open(edge.port);
    half.send(GOOD.slice(0, 25));
    await sleep(50);
    const before = Date.now();
    await edge.app.close();
    expect(Date.now() - before).toBeLessThan(6_000);
    await Promise.all([idle.closed(), silent.closed(), half.closed()]);
  });

  it('loses no request of busy clients that reuse their connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    let answered = 0;
    const lost: string[] = [];
    let isRunning = true;
    const call = (): Promise<void> =>
      new Promise((resolve) => {
        const { port } = edge;
        const sent = request(
          { port, host: '127.0.0.1', path: '/misbehave/wait/5', agent },
          (response) => {
            response.resume();
            response.on('end', () => {
              if (response.statusCode === 200) answered += 1;
              else lost.push(String(response.statusCode));
              resolve();
            });
          },
        );
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // Refused before anything was sent: the listener is closed, which is what a stop means.
          if (error.code === 'ECONNREFUSED') isRunning = false;
          else lost.push(error.code ?? error.message);
          resolve();
        });
        sent.end();
      });
    const client = async (): Promise<void> => {
      while (isRunning) await call();
    };
    const clients = Array.from({ length: 16 }, client);
    // Busy on kept connections: each client has called several times.
    await eventually(() => expect(answered).toBeGreaterThan(200));
    const before = answered;
    await edge.app.close();
    await Promise.all(clients);
    agent.destroy();
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(before);
  });
});
