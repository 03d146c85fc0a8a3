import { AppError } from '../../../src/kernel/app-error.js';
import { SessionStore, type StoredSession } from '../../../src/auth/session/session-store.js';
import { DealSetsApi } from '../../../src/deal-sets/deal-sets.api.js';
import { DealSetQueries } from '../../../src/deal-sets/queries/deal-set-queries.js';
import { Rollout } from '../../../src/rollout/rollout.js';
import { buyer, grant, insert } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { World } from '../../setup/world.js';
import { CLIENT } from './sign-in-suite.js';

/** A flag that a test switches while the service runs. */
class Switch extends Rollout {
  state: 'on' | 'off' | 'fails' | 'hangs' | 'odd' = 'on';

  override isOn(): Promise<boolean> | boolean {
    if (this.state === 'fails') throw new Error('flag source');
    if (this.state === 'hangs') return new Promise(() => undefined);
    if (this.state === 'odd') return 'yes' as unknown as boolean;
    return this.state === 'on';
  }
}

class LostSessions extends SessionStore {
  override find(): Promise<StoredSession | null> {
    return Promise.reject(new Error('lost'));
  }
}

const rollout = new Switch();
const switched = { provide: Rollout, useValue: rollout };
const WRONG_SINCE = `${LIST}?since=yesterday`;
let world: World;
let app: TestService;

beforeAll(async () => {
  world = await World.create();
  app = await world.start({
    env: { READ_RATE_LIMIT: '2' },
    hostOptions: { providers: [switched] },
  });
});
beforeEach(() => (rollout.state = 'on'));
afterAll(async () => {
  await app.stop();
  await world.stop();
});

type TokenSource = (claims?: Record<string, unknown>) => Promise<CallOptions>;

/**
 * A new buyer's assistant that has made no request yet. The function returns a token with these
 * claims.
 */
async function newAssistant(): Promise<TokenSource> {
  const anna = buyer();
  await insert(world.database, [anna, grant({ buyerId: anna.id })]);
  return async (claims = {}) => bearer(await world.issuer.token(anna.id, { claims }));
}

/** An assistant that has used up its rate limit. */
async function rateLimitedAssistant(): Promise<TokenSource> {
  const assistant = await newAssistant();
  const statuses: number[] = [];
  while (statuses.length < 3) statuses.push((await app.call(LIST, await assistant())).status);
  expect(statuses).toEqual([200, 200, 429]);
  return assistant;
}

const codeOf = async (path: string, options?: CallOptions): Promise<string | undefined> =>
  (await app.call(path, options)).code;
const NO_SCOPE = { scope: 'requests:submit' };

describe('the order of checks', () => {
  // In a host application, an unknown path belongs to the host application.
  describeStandalone('for an unknown path', () => {
    it('checks the path before the credential', async () => {
      expect(await codeOf('/api/v1/deal-set')).toBe('not_found');
    });
  });

  it.each([
    ['checks the credential before scope and rate', 'on', LIST, { ...NO_SCOPE, exp: 1 }, 401],
    ['checks the credential before rollout and since', 'off', WRONG_SINCE, { exp: 1 }, 401],
    ['checks rollout before scope', 'off', LIST, NO_SCOPE, 404],
    ['checks rollout before rate and since', 'off', WRONG_SINCE, {}, 404],
    ['checks scope before rate and since', 'on', WRONG_SINCE, NO_SCOPE, 403],
    ['checks rate before since', 'on', WRONG_SINCE, {}, 429],
  ] as const)('%s', async (_title, state, path, claims, status) => {
    const assistant = await rateLimitedAssistant();
    rollout.state = state;
    expect((await app.call(path, await assistant(claims))).status).toBe(status);
  });

  it('checks the credential before rollout when it cannot be verified', async () => {
    rollout.state = 'off';
    const lost = await world.start({
      hostOptions: { providers: [switched, { provide: SessionStore, useClass: LostSessions }] },
    });
    expect((await lost.call(LIST, cookie(world.buyer.session.cookie))).code).toBe(
      'auth_unverifiable',
    );
    await lost.stop();
  });

  it('checks since before the read', async () => {
    const assistant = await newAssistant();
    const queries = app.app.get(DealSetQueries, { strict: false });
    const read = jest.spyOn(queries, 'listActive').mockRejectedValue(new AppError('unavailable'));
    expect(await codeOf(WRONG_SINCE, await assistant())).toBe('invalid_request');
    expect(await codeOf(LIST, await assistant())).toBe('unavailable');
    read.mockRestore();
  });

  it.each(['fails', 'odd'] as const)('treats a flag that %s as off', async (state) => {
    const assistant = await newAssistant();
    rollout.state = state;
    expect(await codeOf(LIST, await assistant())).toBe('not_found');
    rollout.state = 'on';
    expect((await app.call(LIST, await assistant())).status).toBe(200);
  });

  it('treats a flag that hangs as off', async () => {
    const impatient = await world.start({
      hostOptions: { providers: [switched] },
      limits: { flagMs: 300 },
    });
    const assistant = await newAssistant();
    rollout.state = 'hangs';
    expect((await impatient.call(LIST, await assistant())).code).toBe('not_found');
    await impatient.stop();
  });

  it('does not count what rollout, scope or sign-in rejected', async () => {
    const assistant = await newAssistant();
    for (let call = 0; call < 5; call += 1) {
      rollout.state = 'on';
      await app.call(LIST, await assistant(NO_SCOPE));
      rollout.state = 'off';
      await app.call(LIST, await assistant());
      await app.call(LIST, await assistant({ exp: 1 }));
    }
    rollout.state = 'on';
    const statuses: number[] = [];
    while (statuses.length < 3) statuses.push((await app.call(LIST, await assistant())).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

/** The checks that a call can fail, in their order, with the code of each. */
const CODES = {
  credential: 'unauthenticated',
  rollout: 'not_found',
  scope: 'insufficient_scope',
  rateLimit: 'rate_limited',
} as const;
type Failing = readonly (keyof typeof CODES)[];
const NAMES = Object.keys(CODES) as (keyof typeof CODES)[];
const SUBSETS: Failing[] = Array.from({ length: 2 ** NAMES.length }, (_, bits) =>
  NAMES.filter((_name, index) => (bits >> index) % 2 === 1),
);
const firstCode = (failing: Failing): string | undefined => failing[0] && CODES[failing[0]];

describe('the guards and DealSetsApi', () => {
  it.each(SUBSETS.map((failing) => [failing.join(', ') || 'nothing', failing] as const))(
    'give the same reason to a caller who fails %s',
    async (_title, failing) => {
      const fails = (check: keyof typeof CODES): boolean => failing.includes(check);
      const anna = buyer();
      const scopes = fails('scope') ? ['other'] : ['offers:read'];
      const revokedAt = fails('credential') ? '2026-01-01T00:00:00Z' : undefined;
      await insert(world.database, [anna, grant({ buyerId: anna.id, scopes, revokedAt })]);
      const api = app.app.get(DealSetsApi, { strict: false });
      const caller = { type: 'assistant', buyerId: anna.id, clientId: CLIENT } as const;
      const rights = { isHosted: false, seesChanges: false };
      if (fails('rateLimit')) {
        const good = { ...caller, ...rights, scopes: new Set(['offers:read']) };
        await api.list(good);
        await api.list(good);
      }
      rollout.state = fails('rollout') ? 'off' : 'on';

      const token = await world.issuer.token(anna.id);
      expect(await codeOf(LIST, bearer(token))).toBe(firstCode(failing));

      const type = fails('credential') ? ('dealer' as 'assistant') : 'assistant';
      const call = api.list({ ...caller, ...rights, type, scopes: new Set(scopes) });
      const code = await call.then(
        () => undefined,
        (error: unknown) => (error as AppError).code,
      );
      expect(code).toBe(firstCode(failing));
    },
  );
});

const CREDENTIALS = ['nothing', 'session', 'assistant', 'both', 'bad'] as const;
const CASES = CREDENTIALS.flatMap((credential) =>
  (['list', 'get'] as const).flatMap((endpoint) =>
    (['on', 'off'] as const).flatMap((state) =>
      [true, false].map((hasScope) => ({ credential, endpoint, state, hasScope })),
    ),
  ),
);

describe('every credential on every endpoint, on and off, with and without the scope', () => {
  let unlimited: TestService;
  beforeAll(
    async () => (unlimited = await world.start({ hostOptions: { providers: [switched] } })),
  );
  afterAll(() => unlimited.stop());

  async function optionsOf(
    credential: (typeof CREDENTIALS)[number],
    hasScope = true,
  ): Promise<CallOptions> {
    const claims = hasScope ? {} : NO_SCOPE;
    const assistant = bearer(await world.token({ claims })).headers;
    const session = cookie(world.buyer.session.cookie).headers;
    const bad = { ...bearer('not.a.token').headers, ...session };
    const both = { ...assistant, ...session };
    return { headers: { nothing: {}, session, assistant, both, bad }[credential] };
  }

  /** The buyer's own session always has the scope. */
  function expected({ credential, state, hasScope }: (typeof CASES)[number]): object {
    if (credential === 'nothing' || credential === 'bad')
      return { status: 401, code: 'unauthenticated' };
    if (state === 'off') return { status: 404, code: 'not_found' };
    return hasScope || credential === 'session'
      ? { status: 200, code: undefined }
      : { status: 403, code: 'insufficient_scope' };
  }

  it.each(CASES)(
    'decides by credential, rollout and scope: $credential, $endpoint, $state, scope $hasScope',
    async (request) => {
      rollout.state = request.state;
      const path = request.endpoint === 'list' ? LIST : world.buyer.getPath;
      const response = await unlimited.call(
        path,
        await optionsOf(request.credential, request.hasScope),
      );
      expect(response).toMatchObject(expected(request));
      expect(response.headers).toMatchObject({
        'cache-control': 'private, no-store',
        'service-api-version': '2026-10-13',
      });
      expect(response.headers['www-authenticate']).toBe(
        {
          401: 'Bearer error="invalid_token"',
          403: 'Bearer error="insufficient_scope", scope="offers:read"',
        }[response.status],
      );
    },
  );
});
