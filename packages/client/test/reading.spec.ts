import {
  DealSetsClient,
  type AccessTokenRequest,
  type DealSetsClientOptions,
} from '../src/index.js';
import {
  dealSet,
  failure,
  json,
  list,
  page,
  scriptedServer,
  single,
  time,
  withoutBackOff,
  type Handler,
} from './scripted-server.js';

const server = scriptedServer();
const clientWith = (options: Partial<DealSetsClientOptions> = {}): DealSetsClient =>
  new DealSetsClient({ baseUrl: server.url, accessToken: () => 't', ...options });

const paths = (): (string | undefined)[] => server.received.map(({ url }) => url);
const sent = (): (string | undefined)[] =>
  server.received.map(({ headers }) => headers.authorization);

describe('list', () => {
  it('returns the entries with unknown fields, and reports whether a request was left out', async () => {
    const entries = [dealSet('a'), single('b', { rating: { stars: 5 } })];
    server.answer(list(entries, true));
    expect(await clientWith().list()).toEqual({ entries, more: true, skipped: 0 });
    expect([paths(), sent()]).toEqual([['/api/v1/deal-sets'], ['Bearer t']]);
  });

  it('skips and counts entries of unknown kinds', async () => {
    server.answer(list([{ kind: 'auction', id: 'x' }, single('b'), null, 'text', { id: 'y' }]));
    expect(await clientWith().list()).toEqual({ entries: [single('b')], more: false, skipped: 4 });
  });

  it.each([
    ['data that is not a list', json(200, { data: {} }, { 'Service-More': 'false' })],
    ['no Service-More', json(200, { data: [] })],
    ['no data', json(200, { entries: [] })],
    ['no JSON', json(200, '<html>')],
    ['null', json(200, 'null')],
  ])('rejects a success response that breaks the contract: %s', async (_title, handler) => {
    server.answer(handler);
    await expect(clientWith().list()).rejects.toMatchObject({
      name: 'DealSetsError',
      code: 'invalid_response',
      status: 200,
      requestId: 'request-1',
    });
    expect(server.received).toHaveLength(1);
  });
});

describe('get', () => {
  it('returns the deal set', async () => {
    server.answer(json(200, { data: { dealSetId: 'a', later: 1 } }));
    expect(await clientWith().get('a')).toEqual({ dealSetId: 'a', later: 1 });
    expect(paths()).toEqual(['/api/v1/deal-sets/a']);
  });

  it('escapes the id, and returns null when the service responds with not_found', async () => {
    server.answer(failure(404, 'not_found'));
    expect(await clientWith().get('a/b?c#d')).toBeNull();
    expect(paths()).toEqual(['/api/v1/deal-sets/a%2Fb%3Fc%23d']);
  });

  it('rejects the 404 of a gateway, which does not describe the deal set', async () => {
    server.answer((_request, response) => {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end('{"error":{"code":"not_found","message":"no route"}}');
    });
    await expect(clientWith().get('a')).rejects.toMatchObject({ code: 'http_404', status: 404 });
  });
});

describe('readAll', () => {
  it('follows the pages from the beginning and keeps the latest entry of each kind and id', async () => {
    server.answer(
      page([single('a'), single('b'), dealSet('a'), { kind: 'auction' }], time(1), true),
      page([single('a', { needsYou: 1 })], time(2), true),
      page([single('c')], time(3)),
    );
    expect(await clientWith().readAll()).toEqual({
      entries: [single('b'), dealSet('a'), single('a', { needsYou: 1 }), single('c')],
      skipped: 1,
      asOf: time(3),
    });
    const since = (value: string): string => `/api/v1/deal-sets?since=${encodeURIComponent(value)}`;
    expect(paths()).toEqual(['1970-01-01T00:00:00Z', time(1), time(2)].map(since));
  });

  it('waits when the pages do not advance, and fails when they never do', async () => {
    server.answer(page([], time(1), true));
    const reading = clientWith({ maxRetries: 1 }).readAll();
    await expect(reading).rejects.toMatchObject({ code: 'invalid_response' });
    expect(server.received).toHaveLength(3);
    expect(server.received[2]!.at - server.received[1]!.at).toBeGreaterThan(450);
  });

  it('rejects a page without Service-As-Of', async () => {
    server.answer(list([]));
    await expect(clientWith().readAll()).rejects.toMatchObject({ code: 'invalid_response' });
  });
});

describe('the address', () => {
  it('may end with a slash or have a path', async () => {
    server.answer(list([]));
    await clientWith({ baseUrl: `${server.url}/` }).list();
    await clientWith({ baseUrl: `${server.url}/behind/gateway/` }).list();
    expect(paths()).toEqual(['/api/v1/deal-sets', '/behind/gateway/api/v1/deal-sets']);
  });

  it('may be relative in a browser', async () => {
    server.answer(list([]));
    const browser = globalThis as { location?: { href: string } };
    browser.location = { href: `${server.url}/garage?tab=1` };
    try {
      await clientWith({ baseUrl: '/' }).list();
    } finally {
      delete browser.location;
    }
    expect(paths()).toEqual(['/api/v1/deal-sets']);
  });

  it.each([
    'localhost:3000',
    'ftp://api.example.com',
    '/',
    '/relative',
    '',
    'https://user:pw@api.example.com',
  ])('cannot be %p outside a browser', (baseUrl) => {
    expect(() => clientWith({ baseUrl })).toThrow(/baseUrl must be an absolute URL/);
  });
});

describe('the access token', () => {
  const unauthenticated = failure(401, 'unauthenticated');
  const down = failure(503, 'auth_unverifiable');

  /** Creates a client whose tokens come from the list; the last token repeats. */
  function clientOf(...tokens: string[]): {
    client: DealSetsClient;
    requested: AccessTokenRequest[];
  } {
    const requested: AccessTokenRequest[] = [];
    const accessToken = (request: AccessTokenRequest): Promise<string> => {
      requested.push(request);
      return Promise.resolve(tokens.length > 1 ? tokens.shift()! : tokens[0]!);
    };
    return { client: clientWith({ accessToken }), requested: requested };
  }

  it.each<[string, Handler[], string[], string[], string[]]>([
    ['once more on a 401', [unauthenticated, list([])], ['a', 'b'], ['a', 'b'], ['a']],
    ['once, and kept, in an outage', [down, list([])], ['a', 'b'], ['a', 'a'], []],
    [
      'again when it expires during an outage',
      [unauthenticated, down, unauthenticated, list([])],
      ['a', 'b', 'c'],
      ['a', 'b', 'b', 'c'],
      ['a', 'b'],
    ],
  ])('is requested %s', async (_title, answers, tokens, expected, rejected) => {
    withoutBackOff();
    server.answer(...answers);
    const { client, requested: requested } = clientOf(...tokens);
    await client.list();
    expect(sent()).toEqual(expected.map((token) => `Bearer ${token}`));
    expect(requested).toEqual([{}, ...rejected.map((rejectedToken) => ({ rejectedToken }))]);
  });

  it.each([
    ['is not requested a third time', ['a', 'b', 'c'], ['Bearer a', 'Bearer b']],
    ['is not sent again when it is the rejected one', ['a'], ['Bearer a']],
  ])('%s', async (_title, tokens, expected) => {
    server.answer(unauthenticated);
    const { client, requested: requested } = clientOf(...tokens);
    await expect(client.list()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(sent()).toEqual(expected);
    expect(requested).toHaveLength(2);
  });

  it('is requested again for the next call', async () => {
    server.answer(list([]));
    const { client } = clientOf('a', 'b');
    await client.list();
    await client.list();
    expect(sent()).toEqual(['Bearer a', 'Bearer b']);
  });

  it('must be a token, and never appears in an error', async () => {
    server.answer(list([]));
    for (const bad of ['', 'se cret', 'secret\n', undefined as never]) {
      const failed = clientOf(bad).client.list();
      await expect(failed).rejects.toThrow(/accessToken must return the token/);
      await expect(failed).rejects.not.toThrow(/cret/);
    }
    expect(server.received).toEqual([]);
  });

  it('fails the call with the application’s error when it cannot be obtained', async () => {
    const lost = new Error('signed out');
    const accessToken = (): never => {
      throw lost;
    };
    await expect(clientWith({ accessToken }).list()).rejects.toBe(lost);
  });
});

describe('cookies', () => {
  const inits: (RequestInit | undefined)[] = [];
  const recording: typeof fetch = (input, init) => {
    inits.push(init);
    return fetch(input, init);
  };
  beforeEach(() => void inits.splice(0));

  it('are sent with the request in place of a token, and never beside one', async () => {
    server.answer(list([]));
    await new DealSetsClient({ baseUrl: server.url, fetch: recording }).list();
    await clientWith({ fetch: recording }).list();
    expect(inits.map((init) => init?.credentials)).toEqual(['include', 'omit']);
    expect(sent()).toEqual([undefined, 'Bearer t']);
  });

  it('are not sent again when the service rejects them', async () => {
    server.answer(failure(401, 'unauthenticated'));
    const client = new DealSetsClient({ baseUrl: server.url });
    await expect(client.list()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(server.received).toHaveLength(1);
  });

  it('are not configured in a runtime that does not support `credentials`', async () => {
    server.answer(list([]));
    const known = Object.getOwnPropertyDescriptor(Request.prototype, 'credentials')!;
    Reflect.deleteProperty(Request.prototype, 'credentials');
    try {
      await clientWith({ fetch: recording }).list();
    } finally {
      Object.defineProperty(Request.prototype, 'credentials', known);
    }
    expect(inits[0]).not.toHaveProperty('credentials');
  });
});
