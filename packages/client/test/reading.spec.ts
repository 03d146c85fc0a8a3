import { DealSetsClient } from '../src/index.js';
import {
  dealSet,
  failure,
  json,
  list,
  page,
  ScriptedServer,
  single,
  time,
} from './scripted-server.js';

let server: ScriptedServer;
let client: DealSetsClient;
beforeAll(async () => {
  server = await ScriptedServer.start();
  client = new DealSetsClient({ baseUrl: server.url, accessToken: () => 'token-1' });
});
afterAll(() => server.stop());

const paths = (): (string | undefined)[] => server.received.map(({ url }) => url);

describe('list', () => {
  it('returns the entries and whether a request was left out', async () => {
    server.answer(list([dealSet('a'), single('b')], true));
    const answer = await client.list();
    expect(answer).toEqual({ entries: [dealSet('a'), single('b')], more: true, skipped: 0 });
    expect(paths()).toEqual(['/api/v1/deal-sets']);
    expect(server.received[0]!.headers.authorization).toBe('Bearer token-1');
  });

  it('skips and counts entries of unknown kinds', async () => {
    server.answer(list([{ kind: 'auction', id: 'x' }, single('b'), null, 'text', { id: 'y' }]));
    expect(await client.list()).toEqual({ entries: [single('b')], more: false, skipped: 4 });
  });

  it('passes unknown fields through', async () => {
    const entry = single('b', { rating: { stars: 5 } });
    server.answer(list([entry]));
    expect((await client.list()).entries).toEqual([entry]);
  });

  it('rejects a success response that breaks the contract', async () => {
    for (const handler of [
      json(200, { data: {} }, { 'Service-More': 'false' }),
      json(200, { data: [] }),
      json(200, { entries: [] }),
      json(200, '<html>'),
      json(200, 'null'),
    ]) {
      server.answer(handler);
      await expect(client.list()).rejects.toMatchObject({
        name: 'DealSetsError',
        code: 'invalid_response',
        status: 200,
        requestId: 'request-1',
      });
      expect(server.received).toHaveLength(1);
    }
  });
});

describe('get', () => {
  it('returns the deal set', async () => {
    server.answer(json(200, { data: { dealSetId: 'a', later: 1 } }));
    expect(await client.get('a')).toEqual({ dealSetId: 'a', later: 1 });
    expect(paths()).toEqual(['/api/v1/deal-sets/a']);
  });

  it('returns null when the service answers not_found', async () => {
    server.answer(failure(404, 'not_found'));
    expect(await client.get('a')).toBeNull();
    expect(server.received).toHaveLength(1);
  });

  it('rejects the 404 of a gateway, which says nothing of the deal set', async () => {
    server.answer((_request, response) => {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end('{"error":{"code":"not_found","message":"no route"}}');
    });
    await expect(client.get('a')).rejects.toMatchObject({ code: 'http_404', status: 404 });
  });

  it('escapes the id', async () => {
    server.answer(failure(404, 'not_found'));
    await client.get('a/b?c#d');
    expect(paths()).toEqual(['/api/v1/deal-sets/a%2Fb%3Fc%23d']);
  });
});

describe('readAll', () => {
  it('follows the pages from the beginning and keeps the latest entry of each kind and id', async () => {
    server.answer(
      page([single('a'), single('b'), dealSet('a'), { kind: 'auction' }], time(1), true),
      page([single('a', { needsYou: 1 })], time(2), true),
      page([single('c')], time(3)),
    );
    expect(await client.readAll()).toEqual({
      entries: [single('b'), dealSet('a'), single('a', { needsYou: 1 }), single('c')],
      skipped: 1,
      asOf: time(3),
    });
    const since = (value: string): string => `/api/v1/deal-sets?since=${encodeURIComponent(value)}`;
    expect(paths()).toEqual(['1970-01-01T00:00:00Z', time(1), time(2)].map(since));
  });

  it('waits when the pages do not advance, and fails when they never do', async () => {
    const impatient = new DealSetsClient({
      baseUrl: server.url,
      accessToken: () => 't',
      maxRetries: 1,
    });
    server.answer(page([], time(1), true));
    await expect(impatient.readAll()).rejects.toMatchObject({ code: 'invalid_response' });
    expect(server.received).toHaveLength(3);
    expect(server.received[2]!.at - server.received[1]!.at).toBeGreaterThan(450);
  });

  it('rejects a page without Service-As-Of', async () => {
    server.answer(list([]));
    await expect(client.readAll()).rejects.toMatchObject({ code: 'invalid_response' });
  });
});

describe('the address', () => {
  it('may end with a slash or have a path', async () => {
    server.answer(list([]));
    const read = (baseUrl: string) =>
      new DealSetsClient({ baseUrl, accessToken: () => 't' }).list();
    await read(`${server.url}/`);
    await read(`${server.url}/behind/gateway/`);
    expect(paths()).toEqual(['/api/v1/deal-sets', '/behind/gateway/api/v1/deal-sets']);
  });

  it('must be absolute outside a browser', () => {
    expect(() => new DealSetsClient({ baseUrl: '/' })).toThrow(/baseUrl must be an absolute URL/);
  });

  it('may be relative in a browser', async () => {
    server.answer(list([]));
    const page = globalThis as { location?: { href: string } };
    page.location = { href: `${server.url}/garage?tab=1` };
    try {
      await new DealSetsClient({ baseUrl: '/', accessToken: () => 't' }).list();
    } finally {
      delete page.location;
    }
    expect(paths()).toEqual(['/api/v1/deal-sets']);
  });
});
