import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { createWorld, type SignInWorld } from './world.js';

const CREDENTIALS = ['nothing', 'session', 'assistant', 'both', 'bad'] as const;
const ENDPOINTS = ['list', 'get'] as const;
const ROLLOUTS = ['on', 'off'] as const;
const SCOPES = ['scope', 'no scope'] as const;

type Credential = (typeof CREDENTIALS)[number];

const CASES = CREDENTIALS.flatMap((credential) =>
  ENDPOINTS.flatMap((endpoint) =>
    ROLLOUTS.flatMap((rollout) =>
      SCOPES.map((scope) => ({ credential, endpoint, rollout, scope })),
    ),
  ),
);

/** The contract's order of checks: credential, rollout, scope. The buyer's own session always has the scope. */
function expected({
  credential,
  rollout,
  scope,
}: (typeof CASES)[number]): [number, string | undefined] {
  if (credential === 'nothing' || credential === 'bad') return [401, 'unauthenticated'];
  if (rollout === 'off') return [404, 'not_found'];
  if (scope === 'no scope' && credential !== 'session') return [403, 'insufficient_scope'];
  return [200, undefined];
}

describe('every credential on every endpoint, on and off, with and without the scope', () => {
  let world: SignInWorld;
  let apps: Record<(typeof ROLLOUTS)[number], TestService>;

  beforeAll(async () => {
    world = await createWorld();
    apps = {
      on: await world.start(),
      off: await world.start({ ROLLOUT_LIST: 'off', ROLLOUT_GET: 'off' }),
    };
  });

  afterAll(async () => {
    await apps.on.stop();
    await apps.off.stop();
    await world.close();
  });

  async function optionsOf(credential: Credential, scope: string): Promise<CallOptions> {
    const claims = { scope: scope === 'scope' ? 'offers:read' : 'requests:submit' };
    const assistant = bearer(await world.token({ claims })).headers;
    const session = cookie(world.cookie).headers;
    const headers = {
      nothing: {},
      session,
      assistant,
      both: { ...assistant, ...session },
      bad: { ...bearer('not.a.token').headers, ...session },
    }[credential];
    return { headers };
  }

  it.each(CASES)('$credential, $endpoint, $rollout, $scope', async (one) => {
    const path = one.endpoint === 'list' ? LIST : world.getPath;
    const answer = await apps[one.rollout].call(path, await optionsOf(one.credential, one.scope));
    expect([answer.status, answer.code]).toEqual(expected(one));
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers['service-api-version']).toBe('2026-10-13');
    expect(answer.headers['www-authenticate']).toBe(
      {
        401: 'Bearer error="invalid_token"',
        403: 'Bearer error="insufficient_scope", scope="offers:read"',
      }[answer.status],
    );
  });

  it("answers the assistant's view when both are presented", async () => {
    const [both, session] = await Promise.all([
      apps.on.call(LIST, await optionsOf('both', 'scope')),
      apps.on.call(LIST, await optionsOf('session', 'scope')),
    ]);
    expect(both.text).toContain('"buyerZip":null');
    expect(session.text).toContain('"buyerZip":"45202"');
  });

  it('turns the endpoints on and off one by one, and buyer by buyer', async () => {
    const other = '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10';
    const app = await world.start({
      ROLLOUT_LIST: `${other},${world.buyerId}`,
      ROLLOUT_GET: other,
    });
    expect((await app.call(LIST, cookie(world.cookie))).status).toBe(200);
    expect((await app.call(world.getPath, cookie(world.cookie))).code).toBe('not_found');
    await app.stop();
  });
});
