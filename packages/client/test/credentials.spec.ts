import { DealSetsClient, type AccessTokenRequest } from '../src/index.js';
import { failure, list, ScriptedServer } from './scripted-server.js';

let server: ScriptedServer;
beforeAll(async () => (server = await ScriptedServer.start()));
afterAll(() => server.stop());

const sent = (): (string | undefined)[] =>
  server.received.map(({ headers }) => headers.authorization);

/** A client whose tokens come from the list, the last one again and again. */
function clientWith(...tokens: string[]): { client: DealSetsClient; asked: AccessTokenRequest[] } {
  const asked: AccessTokenRequest[] = [];
  const client = new DealSetsClient({
    baseUrl: server.url,
    accessToken: async (request) => {
      asked.push(request);
      return Promise.resolve(tokens.length > 1 ? tokens.shift()! : tokens[0]!);
    },
  });
  return { client, asked };
}

const unauthenticated = failure(401, 'unauthenticated');
const briefly = failure(503, 'auth_unverifiable', { 'Retry-After': '1' });

describe('the access token', () => {
  it('is asked for once more when the service answers 401', async () => {
    server.answer(unauthenticated, list([]));
    const { client, asked } = clientWith('old', 'new');
    await client.list();
    expect(sent()).toEqual(['Bearer old', 'Bearer new']);
    expect(asked).toEqual([{}, { rejectedToken: 'old' }]);
  });

  it('is not asked for a third time', async () => {
    server.answer(unauthenticated);
    const { client, asked } = clientWith('one', 'two', 'three');
    await expect(client.list()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(sent()).toEqual(['Bearer one', 'Bearer two']);
    expect(asked).toHaveLength(2);
  });

  it('is not sent again when it is the rejected one', async () => {
    server.answer(unauthenticated);
    const { client, asked } = clientWith('same');
    await expect(client.list()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(sent()).toEqual(['Bearer same']);
    expect(asked).toHaveLength(2);
  });

  it('is kept when the sign-in cannot be verified', async () => {
    server.answer(briefly, list([]));
    const { client, asked } = clientWith('kept', 'other');
    await client.list();
    expect(sent()).toEqual(['Bearer kept', 'Bearer kept']);
    expect(asked).toHaveLength(1);
  });

  it('is asked for again when it expires during an outage', async () => {
    server.answer(unauthenticated, briefly, unauthenticated, list([]));
    const { client } = clientWith('one', 'two', 'three');
    await client.list();
    expect(sent()).toEqual(['Bearer one', 'Bearer two', 'Bearer two', 'Bearer three']);
  });

  it('is asked for again for the next call', async () => {
    server.answer(list([]));
    const { client } = clientWith('one', 'two');
    await client.list();
    await client.list();
    expect(sent()).toEqual(['Bearer one', 'Bearer two']);
  });

  it('must be a token, and never appears in an error', async () => {
    server.answer(list([]));
    for (const bad of ['', 'se cret', 'secret\n', undefined as never]) {
      const failed = clientWith(bad).client.list();
      await expect(failed).rejects.toThrow(/accessToken must return the token/);
      await expect(failed).rejects.not.toThrow(/cret/);
    }
    expect(server.received).toEqual([]);
  });

  it('fails the call with the application’s error when it cannot be had', async () => {
    const lost = new Error('signed out');
    const client = new DealSetsClient({
      baseUrl: server.url,
      accessToken: () => {
        throw lost;
      },
    });
    await expect(client.list()).rejects.toBe(lost);
  });
});

describe('cookies', () => {
  it('go with the request in place of a token, and never beside one', async () => {
    server.answer(list([]));
    const sentWith: (RequestInit | undefined)[] = [];
    const recording: typeof fetch = (input, init) => {
      sentWith.push(init);
      return fetch(input, init);
    };
    await new DealSetsClient({ baseUrl: server.url, fetch: recording }).list();
    const accessToken = (): string => 't';
    await new DealSetsClient({ baseUrl: server.url, fetch: recording, accessToken }).list();
    expect(sentWith.map((init) => init?.credentials)).toEqual(['include', 'omit']);
    expect(sent()).toEqual([undefined, 'Bearer t']);
  });

  it('are not sent again when the service rejects them', async () => {
    server.answer(unauthenticated);
    const client = new DealSetsClient({ baseUrl: server.url });
    await expect(client.list()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(server.received).toHaveLength(1);
  });

  it('are not named to a runtime that does not know `credentials`', async () => {
    server.answer(list([]));
    const inits: (RequestInit | undefined)[] = [];
    const known = Object.getOwnPropertyDescriptor(Request.prototype, 'credentials')!;
    Reflect.deleteProperty(Request.prototype, 'credentials');
    try {
      await new DealSetsClient({
        baseUrl: server.url,
        accessToken: () => 't',
        fetch: (input, init) => {
          inits.push(init);
          return fetch(input, init);
        },
      }).list();
    } finally {
      Object.defineProperty(Request.prototype, 'credentials', known);
    }
    expect(inits[0]).not.toHaveProperty('credentials');
  });
});
