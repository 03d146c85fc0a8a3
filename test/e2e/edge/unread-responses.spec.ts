import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEdgeApp, type EdgeApp } from './edge-app.js';
import { get, GOOD } from './raw-cases.js';
import { RawClient } from './raw-http.js';

/** More than the system buffers of a loopback connection hold, so that the service has to wait. */
const LARGE = get('/misbehave/large/6');

/** A client that sends and never reads. */
async function unreadingClient(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

function connectionCount({ app }: EdgeApp): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = app.getHttpServer();
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

async function noneLeft(edge: EdgeApp, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while ((await connectionCount(edge)) > 0) {
    if (Date.now() > until) throw new Error(`${await connectionCount(edge)} connections are left`);
    await sleep(50);
  }
}

describe('clients that do not read their responses', () => {
  let edge: EdgeApp;
  let sockets: Socket[];

  beforeEach(() => {
    sockets = [];
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await edge.app.close();
  });

  const open = async (count: number, bytes: string): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      sockets.push(await unreadingClient(edge.port, bytes));
    }
  };

  it('ends their connections when no byte was taken for the limit', async () => {
    edge = await startEdgeApp({}, { stalledResponseMs: 600 });
    await open(10, LARGE);
    await noneLeft(edge, 10_000);
    const ended = edge.lines().filter(({ msg }) => msg === 'connections ended: responses not read');
    expect(ended.reduce((sum, line) => sum + Number(line['connections']), 0)).toBe(10);
  });

  it('ends their connections also when they go on sending requests', async () => {
    edge = await startEdgeApp({}, { stalledResponseMs: 600 });
    await open(1, LARGE);
    const sending = setInterval(() => sockets[0]!.write(GOOD), 50);
    await noneLeft(edge, 8_000);
    clearInterval(sending);
  });

  it('ends their connections also when the system has taken all responses', async () => {
    edge = await startEdgeApp({}, { stalledResponseMs: 600 });
    // More than the client's side holds without reading, less than both sides together.
    await open(5, get('/misbehave/large/1'));
    await sleep(200);
    expect(await connectionCount(edge)).toBe(5);
    await noneLeft(edge, 8_000);
  });

  it('keeps an idle connection whose client has read its responses', async () => {
    edge = await startEdgeApp({}, { stalledResponseMs: 300 });
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/large/1') + GOOD.repeat(40));
    const methods = Array.from({ length: 41 }, () => 'GET');
    await client.answers(methods);
    await sleep(1_500);
    client.send(GOOD);
    expect(await client.answers([...methods, 'GET'])).toHaveLength(42);
    client.destroy();
  });

  it.each([
    ['one large response', LARGE],
    ['pipelined responses', get('/misbehave/large/1').repeat(6)],
  ])('keeps the connection of a slow reader of %s', async (_of, bytes) => {
    edge = await startEdgeApp({}, { stalledResponseMs: 2_000 });
    const socket = await unreadingClient(edge.port, bytes);
    sockets.push(socket);
    let received = 0;
    let pieces = 0;
    // In steps, each shorter than the limit, that take twice the limit together.
    while (received < 6 * 2 ** 20) {
      await sleep(100);
      const wanted = received + 150_000;
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received >= wanted) socket.pause();
      });
      socket.resume();
      while (!socket.isPaused() && received < 6 * 2 ** 20) await sleep(5);
      socket.removeAllListeners('data');
      pieces += 1;
    }
    expect(pieces).toBeGreaterThan(30);
    expect(socket.destroyed).toBe(false);
  });

  it('keeps the connection of a client that waits for a response', async () => {
    edge = await startEdgeApp({ REQUEST_DEADLINE_MS: '5000' }, { stalledResponseMs: 300 });
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/1200'));
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    client.send(GOOD);
    expect(await client.answers(['GET', 'GET'])).toHaveLength(2);
    client.destroy();
  });

  it('does not hold up a stop', async () => {
    edge = await startEdgeApp({}, { stalledResponseOnStopMs: 500 });
    await open(20, LARGE);
    await sleep(300);
    const before = Date.now();
    await edge.app.close();
    expect(Date.now() - before).toBeLessThan(10_000);
    expect(await connectionCount(edge)).toBe(0);
  });
});

describe('pipelined requests', () => {
  let edge: EdgeApp;

  beforeAll(async () => {
    edge = await startEdgeApp({ REQUEST_DEADLINE_MS: '8000' });
  });

  afterAll(async () => {
    await edge.app.close();
  });

  it('lets in 16 of a connection at once, and answers all in their order', async () => {
    const client = await RawClient.open(edge.port);
    const before = edge.seen.calls;
    client.send(get('/misbehave/wait/700') + GOOD.repeat(199));
    await sleep(350);
    expect(edge.seen.calls - before).toBe(15);
    const methods = Array.from({ length: 200 }, () => 'GET');
    const answers = await client.answers(methods);
    expect(answers.map(({ status }) => status)).toEqual(methods.map(() => 200));
    expect(answers[0]!.body).toContain('700');
    expect(edge.seen.calls - before).toBe(199);
    client.send(GOOD);
    expect(await client.answers([...methods, 'GET'])).toHaveLength(201);
    client.destroy();
  });

  it('lets the event loop go on between them', async () => {
    const client = await RawClient.open(edge.port);
    const methods = Array.from({ length: 400 }, () => 'GET');
    let last = edge.seen.calls;
    let most = 0;
    let isDone = false;
    const look = (): void => {
      most = Math.max(most, edge.seen.calls - last);
      last = edge.seen.calls;
      if (!isDone) setImmediate(look);
    };
    setImmediate(look);
    client.send(GOOD.repeat(methods.length));
    expect(await client.answers(methods)).toHaveLength(methods.length);
    isDone = true;
    expect(most).toBeLessThanOrEqual(17);
    client.destroy();
  });

  it('parses no more of a read than a few dozen requests that wait', async () => {
    const client = await RawClient.open(edge.port);
    let parsed = 0;
    const server = edge.app.getHttpServer();
    const count = (): number => (parsed += 1);
    server.on('request', count);
    const methods = Array.from({ length: 500 }, () => 'GET');
    client.send(get('/misbehave/wait/600') + GOOD.repeat(499));
    await sleep(300);
    expect(parsed).toBeLessThan(60);
    expect(await client.answers(methods)).toHaveLength(500);
    expect(parsed).toBe(500);
    server.off('request', count);
    client.destroy();
  });

  it('lets no more in while the client has not taken the responses before', async () => {
    const before = edge.seen.calls;
    const socket = await unreadingClient(edge.port, get('/misbehave/large/1').repeat(10));
    await sleep(800);
    // The system would take several.
    expect(edge.seen.calls - before).toBeLessThanOrEqual(2);
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
    const until = Date.now() + 10_000;
    while (received < 10 * 2 ** 20 && Date.now() < until) await sleep(20);
    expect(edge.seen.calls - before).toBe(10);
    socket.destroy();
  });

  it('does not read a connection on which more requests wait', async () => {
    const client = await RawClient.open(edge.port);
    const sent = 400_000;
    client.send(get('/misbehave/hang'));
    client.send(GOOD.repeat(sent));
    await sleep(500);
    // What the system's buffers do not hold stays with the client.
    expect(client.socket.writableLength).toBeGreaterThan(0);
    client.destroy();
  });

  it('ends the connection that holds the most where all hold too many', async () => {
    const limited = await startEdgeApp({ REQUEST_DEADLINE_MS: '8000' }, { maxHeld: 15 });
    const few = await RawClient.open(limited.port);
    few.send(get('/misbehave/wait/600') + GOOD.repeat(5));
    await sleep(100);
    const many = await RawClient.open(limited.port);
    many.send(get('/misbehave/hang') + GOOD.repeat(300));
    await many.closed();
    expect(many.received).toBe('');
    const methods = Array.from({ length: 6 }, () => 'GET');
    expect((await few.answers(methods)).map(({ status }) => status)).toEqual(
      methods.map(() => 200),
    );
    const again = await RawClient.open(limited.port);
    again.send(GOOD.repeat(6));
    expect(await again.answers(methods)).toHaveLength(6);
    few.destroy();
    again.destroy();
    await limited.app.close();
    const ended = 'connection ended: too many pipelined requests';
    expect(limited.lines().filter(({ msg }) => msg === ended)).toHaveLength(1);
  });

  it('answers what was let in when the service stops, and closes', async () => {
    const stopping = await startEdgeApp({ REQUEST_DEADLINE_MS: '8000' });
    const client = await RawClient.open(stopping.port);
    client.send(get('/misbehave/wait/500') + get('/misbehave/wait/800').repeat(40));
    await sleep(200);
    const stopped = stopping.app.close();
    const answers = await client.answers(Array.from({ length: 16 }, () => 'GET'));
    expect(answers.at(-1)!.headers).toContainEqual(['connection', 'close']);
    await client.closed();
    expect(client.rest(Array.from({ length: 16 }, () => 'GET'))).toBe('');
    await stopped;
  });

  it('answers the held requests before it refuses garbage behind them', async () => {
    const client = await RawClient.open(edge.port);
    client.send(`${get('/misbehave/wait/100')}${GOOD.repeat(39)}garbage\r\n\r\n`);
    const answers = await client.answers(Array.from({ length: 41 }, () => 'GET'));
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 40 }, () => 200),
      400,
    ]);
    await client.closed();
  });
});
