import { randomUUID } from 'node:crypto';
import { Controller, Get, Module } from '@nestjs/common';
import { Client } from 'pg';
import {
  EnglishDisplayTexts,
  EnglishTexts,
  customField,
  type CarText,
  type CustomFieldRequest,
  type RedactionRule,
  type DisplayTexts,
  type Principal,
  type StoredSession,
  type Texts,
} from '../../../src/index.js';
import { Public } from '../../../src/endpoint/endpoint-policy.js';
import {
  customFieldContract,
  redactionRuleContract,
  sampleWorld,
  sessionStoreContract,
  startHungServer,
  startTestService,
  displayTextsContract,
  type ContractTest,
  type TestService,
} from '../../../packages/testing/src/index.js';
import { PATIENCE } from '../../../packages/testing/src/hung-provider.js';
import { assistantOf, sessionOf } from '../../../packages/testing/src/principals.js';
import { runContract } from '../../api/extension/run-contract.js';

@Controller('acme/hello')
class HelloController {
  @Get()
  @Public()
  hello(): string {
    return 'hello';
  }
}
@Module({ controllers: [HelloController] })
class HelloModule {}

describe('the test kit', () => {
  const world = sampleWorld();
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      hostOptions: { imports: [HelloModule] },
      world: world.records,
    });
  });
  afterAll(() => service.stop());

  const get = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(service.url + path, { headers });

  it('serves the modules of the host application', async () => {
    expect(await (await get('/acme/hello', {})).text()).toBe('hello');
  });

  it('serves the given world to the buyer and to the buyer’s assistant', async () => {
    const path = `/api/v1/deal-sets/${world.dealSetId}`;
    const cookie = `__Host-session=${world.cookie}`;
    const own = await get(path, { cookie });
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('Redwood')]);
    const token = await service.tokenFor(world.buyerId);
    const theirs = await get(path, { authorization: `Bearer ${token}` });
    const text = await theirs.text();
    expect([theirs.status, text]).toEqual([200, expect.stringContaining(world.dealSetId)]);
    for (const word of world.withheldWords) expect(text).not.toContain(word);
  });

  it('issues tokens that are valid only as far as their options allow', async () => {
    const list = async (options: object): Promise<number> => {
      const token = await service.tokenFor(world.buyerId, options);
      return (await get('/api/v1/deal-sets', { authorization: `Bearer ${token}` })).status;
    };
    expect(await list({})).toBe(200);
    expect(await list({ scopes: ['other:scope'] })).toBe(403);
    expect(await list({ clientId: 'assistant-2' })).toBe(401);
    expect(await list({ claims: { exp: 1 } })).toBe(401);
  });

  it('loads further records and returns the database and the log', async () => {
    await service.load(sampleWorld().records);
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS count FROM deal_sets.deal_set');
    await client.end();
    expect(rows).toEqual([{ count: 2 }]);
    expect(service.logLines.join('')).toContain('"msg":"request"');
  });

  it('fails to start where the service fails', async () => {
    const hostOptions = { throttlers: [{ name: 'read', limit: 1, ttl: 60_000 }] };
    await expect(startTestService({ hostOptions })).rejects.toThrow('the name read belongs to');
  });
});

const request: CustomFieldRequest = {
  ids: ['a', 'b'],
  principal: sessionOf('0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d'),
  query: () => Promise.resolve([]),
};
const scores = customField({
  type: 'count',
  description: 'A score.',
  load: ({ ids }) => Promise.resolve(new Map(ids.includes('a') ? [['a', 7]] : [])),
});
/** @param passesSignal whether the field passes its signal to the call. */
const overHttp = (url: string, passesSignal: boolean) =>
  customField({
    ...scores,
    async load({ ids }, signal) {
      await fetch(url, passesSignal ? { signal } : {});
      return new Map(ids.map((id) => [id, 1]));
    },
  });
const hungWith = (passesSignal: boolean) => async () => {
  const { url, openCalls, stop } = await startHungServer();
  return { provider: { field: overHttp(url, passesSignal), request }, openCalls, stop };
};

describe('a field of a host application', () => {
  runContract(
    customFieldContract({ field: () => scores, request: () => request, hung: hungWith(true) }),
  );
});

describe('the English texts', () => {
  runContract(displayTextsContract({ texts: () => new EnglishDisplayTexts(), hung: null }));
});

const noListPrices: RedactionRule = {
  facts: ['listedAtCents'],
  from: (principal) => principal.type === 'assistant',
};

describe('a redaction rule', () => {
  runContract(redactionRuleContract({ rule: noListPrices }));
});

/** A host application that chooses the texts of a caller. */
const textsFor = (forCaller: (principal: Principal) => Texts): DisplayTexts => ({ forCaller });

describe('the suites of the kit', () => {
  const usualMs = PATIENCE.milliseconds;
  beforeAll(() => {
    // A call that stays open is reported only when this time is over.
    PATIENCE.milliseconds = 1_000;
  });
  afterAll(() => {
    PATIENCE.milliseconds = usualMs;
  });

  const failed = async (tests: readonly ContractTest[]): Promise<string[]> => {
    const outcomes = await Promise.allSettled(tests.map(({ run }) => run()));
    return tests
      .filter((_, place) => outcomes[place]?.status === 'rejected')
      .map(({ name }) => name);
  };

  it('find a session store that fails on a value that anybody may send', async () => {
    const sessions = new Map<string, StoredSession>();
    const suiteOf = (decode: (cookieValue: string) => string) =>
      sessionStoreContract({
        store: () => ({
          find: (cookieValue) =>
            new Promise((resolve) => resolve(sessions.get(decode(cookieValue)) ?? null)),
        }),
        put: ({ expiresAt, revokedAt }) => {
          const session = { buyerId: randomUUID(), expiresAt, revokedAt };
          const signed = `s:${randomUUID()}.signature`;
          sessions.set(signed, session);
          return Promise.resolve({ buyerId: session.buyerId, cookieValue: signed });
        },
        revoke: (cookieValue) => Promise.resolve(void sessions.delete(cookieValue)),
        hung: null,
      });
    expect(await failed(suiteOf((cookieValue) => cookieValue))).toEqual([]);
    expect(await failed(suiteOf(decodeURIComponent))).toEqual(['finds nothing by any other value']);
  });

  it('find a field that does not pass its signal on', async () => {
    const suite = customFieldContract({
      field: () => scores,
      request: () => request,
      hung: hungWith(false),
    });
    expect(await failed(suite)).toEqual([
      'ends its call to a dependency that hangs when its signal is aborted',
    ]);
  });

  it('find a field of another type, and one whose values depend on the other ids', async () => {
    let calls = 0;
    const wrong = { ...scores, load: () => Promise.resolve(new Map([['a', 'seven']])) };
    const changing = { ...scores, load: () => Promise.resolve(new Map([['a', (calls += 1)]])) };
    const suiteOf = (field: typeof scores) =>
      customFieldContract({ field: () => field, request: () => request, hung: null });
    expect(await failed(suiteOf(wrong as never))).toEqual([
      'returns a value of the declared type for at least one of the ids',
    ]);
    expect(await failed(suiteOf(changing))).toEqual([
      'returns the same value for an id alone and among others',
    ]);
  });

  it('find texts that contain null, texts that are empty, and texts that change', async () => {
    let calls = 0;
    const failedWith = (car: (facts: CarText) => string): Promise<string[]> => {
      const own: Texts = Object.assign(new EnglishTexts(), { car });
      return failed(displayTextsContract({ texts: () => textsFor(() => own), hung: null }));
    };
    expect(await failedWith(({ trim }) => `${trim}`)).toEqual([
      'leave unknown properties of a car out, without words such as null',
    ]);
    expect(await failedWith(({ trim }) => trim ?? '')).toEqual([
      'are one line of 1 to 300 characters, whichever properties of a car are unknown',
    ]);
    expect(await failedWith(() => `Car ${(calls += 1)}`)).toEqual([
      'depend only on the caller and their arguments',
    ]);
  });

  it('find a caller without texts, and texts whose choice does not pass its signal on', async () => {
    const hosted = assistantOf(request.principal.buyerId, { isHosted: true });
    const empty: Texts = Object.assign(new EnglishTexts(), { status: () => '' });
    const texts = (): DisplayTexts =>
      textsFor((principal) =>
        principal.type === 'assistant' && principal.isHosted ? empty : new EnglishTexts(),
      );
    const oneLine =
      'are one line of 1 to 300 characters, whichever properties of a car are unknown';
    expect(await failed(displayTextsContract({ texts, hung: null }))).toEqual([]);
    expect(await failed(displayTextsContract({ texts, principals: [hosted], hung: null }))).toEqual(
      [oneLine],
    );
    const hung = async () => {
      const { url, ...server } = await startHungServer();
      const provider: DisplayTexts = {
        forCaller: async () => {
          await fetch(url);
          return new EnglishTexts();
        },
      };
      return { provider, ...server };
    };
    expect(await failed(displayTextsContract({ texts, hung }))).toEqual([
      'ends its call to a dependency that hangs when its signal is aborted',
    ]);
  });

  it('find a rule that depends on earlier calls', async () => {
    let calls = 0;
    const alternating: RedactionRule = { ...noListPrices, from: () => (calls += 1) % 2 === 0 };
    expect(await failed(redactionRuleContract({ rule: alternating }))).toEqual([
      'depends only on the principal',
    ]);
  });
});
