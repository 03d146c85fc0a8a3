import { AppError } from '../../../src/kernel/app-error.js';
import { GrantStore, type StoredGrant } from '../../../src/auth/grant-store.js';
import { SessionStore, type StoredSession } from '../../../src/auth/session-store.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { eventually } from '../../setup/eventually.js';
import { KEY_SET_FAULTS } from '../../setup/key-set-faults.js';
import { bearer, cookie, LIST, type HttpResponse } from '../../setup/http-call.js';
import type { TeamOptions, TestService } from '../../setup/test-service.js';
import { createWorld, type SignInWorld } from '../sign-in/world.js';

/** A second for the look-up, and room for a slow machine. */
const ABOUT_A_SECOND_MS = 2500;

async function timed(call: Promise<HttpResponse>): Promise<HttpResponse> {
  const startedAt = performance.now();
  const answer = await call;
  expect(performance.now() - startedAt).toBeLessThan(ABOUT_A_SECOND_MS);
  return answer;
}

function expectUnverifiable(answer: HttpResponse): void {
  expect([answer.status, answer.code]).toEqual([503, 'auth_unverifiable']);
  expect(answer.headers['retry-after']).toBeUndefined();
  expect(answer.headers['www-authenticate']).toBeUndefined();
  expect(answer.headers['cache-control']).toBe('private, no-store');
}

describe('sign-in while its database is out of reach', () => {
  let world: SignInWorld;
  let proxy: TcpProxy;
  let app: TestService;

  beforeAll(async () => {
    world = await createWorld();
    proxy = await TcpProxy.start(Number(new URL(world.database.url).port));
    const url = Object.assign(new URL(world.database.url), { port: String(proxy.port) });
    url.hostname = '127.0.0.1';
    app = await world.start({ DATABASE_URL: url.href });
  });

  afterAll(async () => {
    await app.stop();
    await proxy.stop();
    await world.close();
  });

  async function expectOutage(): Promise<void> {
    const token = await world.token();
    for (const path of [LIST, world.getPath]) {
      expectUnverifiable(await timed(app.call(path, cookie(world.cookie))));
      expectUnverifiable(await timed(app.call(path, bearer(token))));
    }
  }

  async function expectRefutations(): Promise<void> {
    const expired = await world.token({ claims: { exp: 1 } });
    for (const options of [{}, bearer('garbage'), bearer(expired), cookie('short')]) {
      const answer = await timed(app.call(LIST, options));
      expect([answer.status, answer.code]).toEqual([401, 'unauthenticated']);
    }
  }

  async function expectRecovery(): Promise<void> {
    await eventually(async () => {
      expect((await app.call(LIST, cookie(world.cookie))).status).toBe(200);
    }, 20_000);
    expect((await app.call(LIST, bearer(await world.token()))).status).toBe(200);
  }

  it('cannot authenticate, within about a second, while the database hangs; and recovers', async () => {
    await expectRecovery();
    proxy.partition();
    await expectOutage();
    await expectRefutations();
    proxy.heal();
    await expectRecovery();
  });

  it('cannot authenticate while the database refuses connections; and recovers', async () => {
    const { target } = proxy;
    proxy.target = 1;
    proxy.cut();
    await expectOutage();
    await expectRefutations();
    proxy.target = target;
    await expectRecovery();
  });
});

describe("sign-in with a team's stores that misbehave", () => {
  let world: SignInWorld;
  let app: TestService;

  beforeAll(async () => {
    world = await createWorld();
  });

  afterEach(() => app.stop());
  afterAll(() => world.close());

  type Find = () => Promise<never>;
  const hang: Find = () => new Promise(() => undefined);
  const fail: Find = () => Promise.reject(new Error('lost'));
  const reject: Find = () => Promise.reject(new AppError('unavailable'));
  const shed: Find = () => Promise.reject(new AppError('unavailable', { retryAfterSeconds: 3 }));
  const nonsense = { buyerId: 5, expiresAt: new Date(8e15), revokedAt: null };
  const odd = (() => Promise.resolve(nonsense)) as unknown as Find;
  const throwAtOnce: Find = () => {
    throw new Error('lost');
  };

  function storesThat(find: Find): TeamOptions {
    class Sessions extends SessionStore {
      override find(): Promise<StoredSession | null> {
        return find();
      }
    }
    class Grants extends GrantStore {
      override find(): Promise<StoredGrant | null> {
        return find();
      }
    }
    return {
      providers: [
        { provide: SessionStore, useClass: Sessions },
        { provide: GrantStore, useClass: Grants },
      ],
    };
  }

  it.each([
    ['hang', hang],
    ['fail', fail],
    ['throw', throwAtOnce],
    ['say that they are unavailable', reject],
    ['answer nonsense', odd],
  ])('cannot authenticate when they %s', async (_what, find) => {
    app = await world.start({}, storesThat(find));
    expectUnverifiable(await timed(app.call(LIST, cookie(world.cookie))));
    expectUnverifiable(await timed(app.call(LIST, bearer(await world.token()))));
  });

  it('is unavailable when they shed load and say how long', async () => {
    app = await world.start({}, storesThat(shed));
    for (const options of [cookie(world.cookie), bearer(await world.token())]) {
      const answer = await app.call(LIST, options);
      expect([answer.status, answer.code, answer.headers['retry-after']]).toEqual([
        503,
        'unavailable',
        '3',
      ]);
    }
  });

  it("is unavailable when the request's own time ends first", async () => {
    app = await world.start({ REQUEST_DEADLINE_MS: '200' }, storesThat(hang));
    expect((await app.call(LIST, cookie(world.cookie))).code).toBe('unavailable');
    expect((await app.call(LIST, bearer(await world.token()))).code).toBe('unavailable');
  });
});

describe("sign-in while the issuer's key set is out of reach", () => {
  it.each(Object.entries(KEY_SET_FAULTS))(
    'cannot verify a token when it %s; sessions and rejections work as before',
    async (_fault, cause) => {
      const world = await createWorld();
      await cause(world.issuer.keyServer);
      const app = await world.start();
      expectUnverifiable(await timed(app.call(LIST, bearer(await world.token()))));
      const expired = await world.token({ claims: { exp: 1 } });
      expect((await timed(app.call(LIST, bearer(expired)))).code).toBe('unauthenticated');
      expect((await timed(app.call(LIST, bearer('garbage')))).code).toBe('unauthenticated');
      expect((await timed(app.call(LIST, cookie(world.cookie)))).status).toBe(200);
      await app.stop();
      await world.close();
    },
  );
});
