import { setTimeout as sleep } from 'node:timers/promises';
import { expectContractAnswer, expectError } from './contract-answer.js';
import { SECRET, startEdgeApp, THROWN, type EdgeApp } from './edge-app.js';
import { get } from './raw-cases.js';
import { header, RawClient, type RawAnswer } from './raw-http.js';

let edge: EdgeApp;

beforeAll(async () => {
  edge = await startEdgeApp();
});

afterAll(async () => {
  await edge.app.close();
});

async function ask(path: string): Promise<RawAnswer> {
  const client = await RawClient.open(edge.port);
  client.send(get(path));
  const [answer] = await client.answers(['GET']);
  expect(client.rest(['GET'])).toBe('');
  client.destroy();
  return answer!;
}

async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 5_000;
  while (!isTrue() && Date.now() < end) await sleep(5);
  expect(isTrue()).toBe(true);
}

describe('the deadline', () => {
  it('answers unavailable when a handler hangs', async () => {
    const before = Date.now();
    const answer = await ask('/misbehave/hang');
    expectError(answer, 503, 'unavailable');
    expect(header(answer, 'retry-after')).toBeUndefined();
    const took = Date.now() - before;
    expect(took).toBeGreaterThanOrEqual(290);
    expect(took).toBeLessThan(5_000);
  });

  it('drops what a handler answers later, and keeps the connection good', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/500'));
    const [first] = await client.answers(['GET']);
    expectError(first!, 503, 'unavailable');
    await until(() => edge.seen.finished.includes('500'));
    client.send(get('/misbehave/wait/1'));
    const [, second] = await client.answers(['GET', 'GET']);
    expect(second!.status).toBe(200);
    expect(client.rest(['GET', 'GET'])).toBe('');
    client.destroy();
  });

  it('drops what a handler throws later, without a word in the log', async () => {
    const logged = edge.lines().length;
    expectError(await ask('/misbehave/late-failure'), 503, 'unavailable');
    await until(() => edge.seen.finished.includes('late-failure'));
    await sleep(20);
    const lines = edge.lines().slice(logged);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        status: 503,
        code: 'unavailable',
        error: 'TimeLimitError',
      }),
    ]);
  });

  it('ends early when the client goes away', async () => {
    const client = await RawClient.open(edge.port);
    client.send(get('/misbehave/wait/250'));
    await sleep(50);
    client.destroy();
    const before = Date.now();
    await until(() => edge.seen.ended.includes('250'));
    expect(Date.now() - before).toBeLessThan(200);
    await until(() => edge.lines().some((line) => line['isAborted'] === true));
    const line = edge.lines().findLast(({ isAborted }) => isAborted === true);
    expect(line).toMatchObject({ route: '/misbehave/wait/:milliseconds', method: 'GET' });
    expect(line).not.toHaveProperty('status');
  });

  it('does not end for an answer that was sent', async () => {
    const answer = await ask('/misbehave/wait/7');
    expect(answer.status).toBe(200);
    await sleep(400);
    expect(edge.seen.ended).not.toContain('7');
  });
});

describe('the error answer', () => {
  it.each(Object.keys(THROWN))('is the envelope for each thrown value: %s', async (kind) => {
    const answer = await ask(`/misbehave/throw/${kind}`);
    if (kind === 'wrong-wait') {
      expectError(answer, 429, 'rate_limited');
      expect(header(answer, 'retry-after')).toBe('1');
    } else {
      expectError(answer, 500, 'internal');
    }
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  });

  it('names the scope on 403', async () => {
    expectError(await ask('/misbehave/scope'), 403, 'insufficient_scope');
  });

  it.each([
    ['12', '12'],
    ['0', '1'],
    ['-3', '1'],
    ['1.2', '2'],
    ['Infinity', '1'],
  ])('sends whole seconds to wait on 429: %s is %s', async (given, sent) => {
    const answer = await ask(`/misbehave/rate/${given}`);
    expectError(answer, 429, 'rate_limited');
    expect(header(answer, 'retry-after')).toBe(sent);
  });

  it('sends the wait on unavailable when it is known, and never on auth_unverifiable', async () => {
    const full = await ask('/misbehave/full');
    expectError(full, 503, 'unavailable');
    expect(header(full, 'retry-after')).toBe('2');
    const unverifiable = await ask('/misbehave/unverifiable');
    expectError(unverifiable, 503, 'auth_unverifiable');
    expect(header(unverifiable, 'retry-after')).toBeUndefined();
  });

  it('is the same bytes each time', async () => {
    const [first, second] = [await ask('/nowhere/a'), await ask('/nowhere/b?c=d')];
    expect(first.body).toBe(second.body);
  });

  it('says in the log what went wrong by class and place, never by message', () => {
    const lines = edge.lines();
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(lines).toContainEqual(
      expect.objectContaining({
        code: 'internal',
        level: 'error',
        error: 'Error',
        at: expect.arrayContaining([expect.stringContaining('edge-app')]) as unknown,
      }),
    );
  });
});

describe('the request line', () => {
  it('is written once an answer, with the id that was sent and the pattern of the route', async () => {
    const answer = await ask('/misbehave/wait/3');
    expectContractAnswer(answer);
    const id = header(answer, 'service-request-id');
    await until(() => edge.lines().some((line) => line['id'] === id));
    expect(edge.lines().filter((line) => line['id'] === id)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
        id,
        route: '/misbehave/wait/:milliseconds',
        method: 'GET',
        status: 200,
        durationMs: expect.any(Number) as number,
        msg: 'request',
      },
    ]);
  });

  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4bf92f3577b34da6a3ce929d0e0e4736'],
    [
      'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      '4bf92f3577b34da6a3ce929d0e0e4736',
    ],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', undefined],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', undefined],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01', undefined],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', undefined],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736', undefined],
  ])('takes the trace id of traceparent %s', async (traceparent, traceId) => {
    const client = await RawClient.open(edge.port);
    client.send(get('/nowhere', `traceparent: ${traceparent}`));
    const [answer] = await client.answers(['GET']);
    client.destroy();
    const id = header(answer!, 'service-request-id');
    await until(() => edge.lines().some((line) => line['id'] === id));
    expect(edge.lines().find((line) => line['id'] === id)?.['traceId']).toBe(traceId);
  });
});
