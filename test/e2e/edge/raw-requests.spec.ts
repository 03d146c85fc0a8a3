import { setTimeout as sleep } from 'node:timers/promises';
import { expectContractAnswer, expectError } from './contract-answer.js';
import { startEdgeApp, type EdgeApp } from './edge-app.js';
import { get, GOOD, LIST, REFUSED, REFUSED_POLITELY, send, WELL_FORMED } from './raw-cases.js';
import { header, RawClient } from './raw-http.js';

describe('the edge, byte by byte', () => {
  let edge: EdgeApp;

  beforeAll(async () => {
    edge = await startEdgeApp();
  });

  afterAll(async () => {
    await edge.app.close();
  });

  it.each(WELL_FORMED)(
    'answers $name and serves the next request',
    async ({ bytes, status, code }) => {
      const client = await RawClient.open(edge.port);
      client.send(bytes);
      const [first] = await client.answers(['GET']);
      if (code === undefined) {
        expect(first!.status).toBe(status);
        expectContractAnswer(first!);
      } else {
        expectError(first!, status, code);
      }
      client.send(GOOD);
      const [, second] = await client.answers(['GET', 'GET']);
      expect(second!.status).toBe(200);
      expect(client.rest(['GET', 'GET'])).toBe('');
      client.destroy();
    },
  );

  it.each(REFUSED)(
    'refuses $name once and closes',
    async ({ bytes, status, code = 'invalid_request' }) => {
      const client = await RawClient.open(edge.port);
      client.send(bytes);
      client.send(GOOD);
      const [answer] = await client.answers(['GET']);
      expectError(answer!, status, code);
      expect(header(answer!, 'connection')).toBe('close');
      await client.closed();
      expect(client.rest(['GET'])).toBe('');
    },
  );

  it.each(REFUSED_POLITELY)(
    'refuses $name and serves the next request',
    async ({ bytes, status }) => {
      const client = await RawClient.open(edge.port);
      client.send(bytes);
      const [answer] = await client.answers(['GET']);
      expectError(answer!, status, 'invalid_request');
      client.send(GOOD);
      const [, second] = await client.answers(['GET', 'GET']);
      expect(second!.status).toBe(200);
      client.destroy();
    },
  );

  it('answers Expect: 100-continue with an interim and a final response', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get(LIST, 'Expect: 100-continue'));
    await client.until(() => client.received.includes('{"data":[]}'));
    expect(client.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    client.destroy();
  });

  it('answers HEAD as GET without the body', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD);
    client.send(send('HEAD', LIST));
    client.send(send('HEAD', `${LIST}/x`));
    client.send(send('HEAD', '/nowhere'));
    client.send(GOOD);
    const methods = ['GET', 'HEAD', 'HEAD', 'HEAD', 'GET'];
    const answers = await client.answers(methods);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404, 200]);
    answers.forEach((answer, index) => expectContractAnswer(answer, methods[index]));
    const lengths = answers.map((answer) => Number(header(answer, 'content-length')));
    expect(lengths[1]).toBe(lengths[0]);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    client.destroy();
  });

  it('sends the body to GET with a broken header that mentions HEAD', async () => {
    const client = await RawClient.open(edge.port);
    client.send(`GET ${LIST} HTTP/1.1\r\nX: HEAD \r\nHEAD : a\r\n\r\n`);
    const [answer] = await client.answers(['GET']);
    expectError(answer!, 400, 'invalid_request');
    client.destroy();
  });

  it('speaks HTTP/1.0 without a Host and closes', async () => {
    const client = await RawClient.open(edge.port);
    client.send(`GET ${LIST} HTTP/1.0\r\n\r\n`);
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    expectContractAnswer(answer!);
    await client.closed();
  });

  it('answers pipelined requests in their order, one each', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/80') + GOOD + get('/nowhere') + get('/misbehave/wait/1'));
    const methods = ['GET', 'GET', 'GET', 'GET'];
    const answers = await client.answers(methods);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    const ids = answers.map((answer) => header(answer, 'service-request-id'));
    expect(new Set(ids).size).toBe(4);
    client.destroy();
  });

  it('answers half a request only once it is whole', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD.slice(0, 20));
    await sleep(100);
    expect(client.received).toBe('');
    client.send(GOOD.slice(20));
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    client.destroy();
  });

  it('reads a request that comes byte by byte', async () => {
    const client = await RawClient.open(edge.port);
    for (const byte of GOOD) {
      client.send(byte);
      await sleep(1);
    }
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    client.destroy();
  });

  it('lets a client leave in the middle of a request', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD.slice(0, 30));
    client.socket.end();
    const [answer] = await client.answers(['GET']);
    expectError(answer!, 400, 'invalid_request');
    await client.closed();
  });

  it('answers a GET that announces a huge body at once, and reads on after the body', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get(LIST, 'Content-Length: 1000000').trimEnd() + '\r\n\r\n');
    const [answer] = await client.answers(['GET']);
    expect(answer!.status).toBe(200);
    client.send('x'.repeat(1_000_000));
    client.send(GOOD);
    const [, second] = await client.answers(['GET', 'GET']);
    expect(second!.status).toBe(200);
    expect(client.rest(['GET', 'GET'])).toBe('');
    client.destroy();
  });

  it('answers a chunked body that never ends at once', async () => {
    const client = await RawClient.open(edge.port);
    client.send(
      `${send('POST', LIST, 'Transfer-Encoding: chunked').trimEnd()}\r\n\r\n5\r\nhello\r\n`,
    );
    const [answer] = await client.answers(['POST']);
    expectError(answer!, 404, 'not_found');
    client.destroy();
  });

  it('never puts anything of a request into an answer', async () => {
    const marker = 'MARKER7319';
    const client = await RawClient.open(edge.port);
    client.send(
      send(
        'GET',
        `/${marker}/%FF?${marker}=${marker}`,
        `X-${marker}: ${marker}`,
        `Origin: http://${marker}`,
        `Service-Request-Id: ${marker}`,
        `X-Request-Id: ${marker}`,
        `traceparent: ${marker}`,
      ),
    );
    client.send(`GET /${marker} ${marker}\r\n\r\n`);
    await client.answers(['GET', 'GET']);
    await client.closed();
    expect(client.received).not.toContain(marker);
    expect(JSON.stringify(edge.lines())).not.toContain(marker);
  });
});

describe('requests that never arrive whole', () => {
  let edge: EdgeApp;

  beforeAll(async () => {
    edge = await startEdgeApp(
      {},
      { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 },
    );
  });

  afterAll(async () => {
    await edge.app.close();
  });

  it('refuses headers that take too long', async () => {
    const client = await RawClient.open(edge.port);
    client.send(GOOD.slice(0, 20));
    const [answer] = await client.answers(['GET']);
    expectError(answer!, 408, 'invalid_request');
    await client.closed();
    expect(client.rest(['GET'])).toBe('');
  });
});
