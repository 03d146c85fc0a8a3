import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY_SET_TIMES } from '../../../src/auth/issuer/remote-issuer.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { GrantStore, type StoredGrant } from '../../../src/auth/bearer/grant-store.js';
import { PostgresGrantStore } from '../../../src/auth/bearer/postgres-grant-store.js';
import { SessionStore, type StoredSession } from '../../../src/auth/session/session-store.js';
import { makeKey, makeToken } from '../../../packages/testing/src/test-issuer.js';
import { eventually } from '../../setup/eventually.js';
import { bearer, cookie, LIST, type HttpResponse } from '../../setup/http-call.js';
import { TokenIssuer } from '../../../src/auth/issuer/token-issuer.js';
import type { HostOptions, TestService } from '../../setup/test-service.js';
import { World } from '../../setup/world.js';

/** What `jest.useFakeTimers` could replace besides intervals. */
const ALL_BUT_INTERVALS = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const;

/** The failed downloads of the key set that a service has logged. */
const failedDownloads = ({ logLines }: TestService): number =>
  logLines.filter((line) => line.includes('JWKS download failed')).length;

/** Ends with the limit of a sign-in and not with `unavailable`, the deadline of the request. */
function expectUnverifiable(response: HttpResponse): void {
  expect([response.status, response.code]).toEqual([503, 'auth_unverifiable']);
  expect(response.headers['retry-after']).toBeUndefined();
  expect(response.headers['www-authenticate']).toBeUndefined();
  expect(response.headers['cache-control']).toBe('private, no-store');
}

describe("sign-in with a host application's stores that misbehave", () => {
  let world: World;
  let app: TestService;

  beforeAll(async () => {
    world = await World.create();
  });

  afterEach(() => app.stop());
  afterAll(() => world.stop());

  type Find = () => Promise<never>;
  const hang: Find = () => new Promise(() => undefined);
  const fail: Find = () => Promise.reject(new Error('lost'));
  const reject: Find = () => Promise.reject(new AppError('unavailable'));
  const shed: Find = () => Promise.reject(new AppError('unavailable', { retryAfterSeconds: 3 }));
  const invalidValue = { buyerId: 5, expiresAt: new Date(8e15), revokedAt: null };
  const invalidStore = (() => Promise.resolve(invalidValue)) as unknown as Find;
  const throwAtOnce: Find = () => {
    throw new Error('lost');
  };

  function hostStores(find: Find): HostOptions {
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

  it('cannot authenticate when they hang, fail, throw, are unavailable or return invalid values', async () => {
    const finds = [hang, fail, throwAtOnce, reject, invalidStore];
    let at = 0;
    app = await world.start({
      hostOptions: hostStores(() => finds[at]!()),
      limits: { signInMs: 500 },
    });
    for (; at < finds.length; at += 1) {
      const calls = [cookie(world.buyer.session.cookie), bearer(await world.token())].map((by) =>
        app.call(LIST, by),
      );
      for (const call of calls) expectUnverifiable(await call);
    }
  });

  it('is unavailable when they shed load and name a wait', async () => {
    app = await world.start({ hostOptions: hostStores(shed) });
    for (const options of [cookie(world.buyer.session.cookie), bearer(await world.token())]) {
      const response = await app.call(LIST, options);
      expect([response.status, response.code, response.headers['retry-after']]).toEqual([
        503,
        'unavailable',
        '3',
      ]);
    }
  });

  it("is unavailable when the request's own time ends first", async () => {
    app = await world.start({
      env: { REQUEST_DEADLINE_MS: '200' },
      hostOptions: hostStores(hang),
    });
    expect((await app.call(LIST, cookie(world.buyer.session.cookie))).code).toBe('unavailable');
    expect((await app.call(LIST, bearer(await world.token()))).code).toBe('unavailable');
  });
});

describe("sign-in while the issuer's key set is out of reach", () => {
  it('cannot verify a token of a new key; known keys, sessions and rejections work as before', async () => {
    const world = await World.create();
    const app = await world.start({ limits: { keyDownloadMs: 1_000 } });
    const { keyServer } = world.issuer;
    const good = await world.token();
    const expired = await world.token({ claims: { exp: 1 } });
    // The first download may take longer than its limit.
    await eventually(async () => expect((await app.call(LIST, bearer(good))).status).toBe(200));
    for (const cause of ['hangs', 'is down']) {
      // Within the cool-down of a download, the service tries no other.
      await sleep(KEY_SET_TIMES.coolDownMs + 50);
      if (cause === 'hangs') keyServer.misbehave(() => undefined);
      else await keyServer.close();
      const unknownKeyToken = await world.token({ header: { kid: 'unheard-of' } });
      expectUnverifiable(await app.call(world.buyer.getPath, bearer(unknownKeyToken)));
      for (const token of [expired, 'garbage'])
        expect((await app.call(LIST, bearer(token))).code).toBe('unauthenticated');
      for (const options of [bearer(good), cookie(world.buyer.session.cookie)])
        expect((await app.call(LIST, options)).status).toBe(200);
    }
    await app.stop();
    await world.stop();
  });
});

describe('an issuer that is stopped and comes back with other keys', () => {
  // Only intervals are replaced, so that the timer of the keys can be made to run early.
  beforeEach(() => jest.useFakeTimers({ doNotFake: [...ALL_BUT_INTERVALS] }));
  afterEach(() => jest.useRealTimers());

  it('is replaced in the running service by the timer, and by the first token of a new key', async () => {
    const world = await World.create();
    const app = await world.start();
    const { keyServer, key } = world.issuer;
    const codeFor = async (token: string): Promise<unknown> => {
      const { status, code } = await app.call(LIST, bearer(token));
      return code ?? status;
    };
    const [second, third] = [makeKey('key-2'), makeKey('key-3')];
    const [firstToken, secondToken, thirdToken] = await Promise.all(
      [key, second, third].map((signer) => makeToken(signer, world.buyer.id)),
    );
    await eventually(async () => expect(await codeFor(firstToken!)).toBe(200));

    await keyServer.close();
    for (let refresh = 0; refresh < 3; refresh += 1) {
      jest.advanceTimersByTime(KEY_SET_TIMES.refreshMs);
      await eventually(() => expect(failedDownloads(app)).toBeGreaterThan(refresh));
      await sleep(KEY_SET_TIMES.coolDownMs + 50);
    }
    expect(await codeFor(firstToken!)).toBe(200);
    expect(await codeFor(secondToken!)).toBe('auth_unverifiable');

    await keyServer.listen(keyServer.port);
    keyServer.publish(second.jwk);
    await sleep(KEY_SET_TIMES.coolDownMs + 50);
    const { requests } = keyServer;
    jest.advanceTimersByTime(KEY_SET_TIMES.refreshMs);
    await eventually(async () => expect(await codeFor(secondToken!)).toBe(200));
    expect(keyServer.requests).toBe(requests + 1);
    await eventually(async () => expect(await codeFor(firstToken!)).toBe('unauthenticated'));

    keyServer.publish(second.jwk, third.jwk);
    await eventually(async () => expect(await codeFor(thirdToken!)).toBe(200));
    expect(await codeFor(secondToken!)).toBe(200);

    await app.stop();
    await world.stop();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a sign-in that has reached its limit', () => {
  let world: World;
  let app: TestService;
  afterEach(async () => {
    await app.stop();
    await world.stop();
  });

  it('looks up no grant when the key arrives after the response', async () => {
    const lookedUp: string[] = [];
    const notingGrants = {
      provide: GrantStore,
      inject: [PostgresGrantStore],
      useFactory: (shipped: PostgresGrantStore): GrantStore => ({
        find(buyerId, clientId, signal) {
          lookedUp.push(buyerId);
          return shipped.find(buyerId, clientId, signal);
        },
      }),
    };
    world = await World.create();
    app = await world.start({
      hostOptions: { providers: [notingGrants] },
      limits: { signInMs: 1_000 },
    });
    const issuer = app.app.get(TokenIssuer, { strict: false });
    const findKey = issuer.findKey.bind(issuer);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const found = jest
      .spyOn(issuer, 'findKey')
      .mockImplementation((...query) => held.then(() => findKey(...query)));

    expectUnverifiable(await app.call(LIST, bearer(await world.token())));
    release();
    await found.mock.results[0]!.value;
    // A second sign-in reaches the steps after the key look-up later than the first one could.
    const { token } = await app.tokenFor(randomUUID());
    await eventually(async () =>
      expect((await app.call(LIST, bearer(token))).code).toBe('unauthenticated'),
    );
    expect(lookedUp).not.toContain(world.buyer.id);
  });
});
