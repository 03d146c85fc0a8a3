import { setTimeout as pause } from 'node:timers/promises';
import { errors, jwtVerify } from 'jose';
import {
  checkBeforeSignature,
  readClaims,
  type AccessToken,
} from '../../../src/auth/bearer/access-token.js';
import type { IssuerFailure } from '../../../src/auth/issuer/issuer-failure.js';
import {
  KEY_SET_TIMES,
  RemoteIssuer,
  type KeySetTimes,
} from '../../../src/auth/issuer/remote-issuer.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { RFC_9068 } from '../../../src/config/settings-table.js';
import { KeyServer } from '../../../packages/testing/src/key-server.js';
import { eventually } from '../../setup/eventually.js';
import { KEY_SET_FAULTS } from '../../setup/key-set-faults.js';
import { AUDIENCE, ISSUER, makeKey, makeToken } from '../../../packages/testing/src/test-issuer.js';

const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const REJECTED = { name: 'AppError', code: 'unauthenticated' };

const first = makeKey('first');
const second = makeKey('second');

describe("the issuer's key set", () => {
  let server: KeyServer;
  let issuer: RemoteIssuer;
  /** The result of each download: `success`, or the reason of its failure. */
  let outcomes: string[];

  /**
   * Times short enough for a test to wait; a download may take as long as it does on a busy
   * machine.
   */
  function open(times: Partial<KeySetTimes> = {}): void {
    outcomes = [];
    issuer = new RemoteIssuer(
      { ...RFC_9068, issuer: ISSUER, audiences: [AUDIENCE], jwksUrl: server.url },
      (failure) => outcomes.push(failure ? (failure as IssuerFailure).reason : 'success'),
      { ...KEY_SET_TIMES, download: 10_000, cooldown: 100, ...times },
    );
  }

  /**
   * Checks a token as the service does: returns whether it is verified or rejected, and throws
   * where neither is certain.
   */
  async function verify(token: string): Promise<AccessToken> {
    const startedAt = performance.now();
    try {
      return await verifyOnce(token);
    } catch (error) {
      const isForged = error instanceof AppError && error.rejectionReason === 'signature';
      if (!isForged || !(await issuer.renewKeys(startedAt))) throw error;
      return verifyOnce(token);
    }
  }

  async function verifyOnce(token: string): Promise<AccessToken> {
    const nowSeconds = Date.now() / 1000;
    const { keyId, algorithm } = checkBeforeSignature(token, issuer, nowSeconds);
    const key = await issuer.findKey(keyId, algorithm, token);
    if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
    const { payload } = await jwtVerify(token, key).catch((error: unknown) => {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw new AppError('unauthenticated', { rejectionReason: 'signature' });
    });
    return readClaims(payload, issuer, nowSeconds);
  }

  /** Expects that a token is neither verified nor rejected. */
  async function expectUncertain(token: string): Promise<void> {
    const rejection = await verify(token).catch((error: unknown) => error);
    expect(rejection).toHaveProperty('message');
    expect(rejection).not.toMatchObject(REJECTED);
  }

  const verified = { buyerId: BUYER };
  const newToken = (key = first): Promise<string> => makeToken(key, BUYER);

  beforeEach(async () => {
    server = await KeyServer.start();
    server.publish(first.jwk);
    open();
  });
  afterEach(() => server.close());

  it('verifies tokens of ES256 and RS256 keys, and requests the key set once', async () => {
    const rsa = makeKey('rsa', 'RS256');
    server.publish(first.jwk, rsa.jwk);
    const tokens = await Promise.all([newToken(), newToken(rsa)]);
    for (const found of await Promise.all([...tokens, ...tokens].map(verify))) {
      expect(found).toMatchObject(verified);
    }
    expect([server.requests, outcomes]).toEqual([1, ['success']]);
  });

  it.each(Object.entries(KEY_SET_FAULTS))(
    'leaves a token unverified when the issuer %s',
    async (_fault, [reason, cause]) => {
      open(reason === 'too_slow' ? { download: 300 } : {});
      await cause(server);
      await expectUncertain(await newToken());
      expect(outcomes).toEqual([reason]);
    },
  );

  it.each(['returns an empty key set', 'never responds', 'refuses connections'])(
    'uses the last keys for a while, and rejects no unknown key, when the issuer %s',
    async (fault) => {
      open({ refresh: 20, download: 2_000, cooldown: 50 });
      const token = await newToken();
      await verify(token);
      const [reason, cause] = KEY_SET_FAULTS[fault]!;
      await cause(server);
      await pause(30);
      await expect(verify(token)).resolves.toMatchObject(verified);
      expect(outcomes.at(-1)).toBe(reason);
      await expect(verify(await newToken())).resolves.toMatchObject(verified);
      await expectUncertain(await newToken(second));
    },
  );

  it('follows no redirect: requests only its own address', async () => {
    const requestedKeys: (string | undefined)[] = [];
    server.misbehave((request, response) => {
      requestedKeys.push(request.url);
      if (request.url === '/keys') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end(JSON.stringify({ keys: [first.jwk] }));
    });
    await expectUncertain(await newToken());
    expect(requestedKeys).toEqual(['/keys']);
  });

  it('stops using the last keys when the issuer stays unreachable', async () => {
    // Long enough that a delay of one second on a busy machine does not expire the keys.
    open({ refresh: 100, stale: 4_000, cooldown: 20 });
    const token = await newToken();
    await verify(token);
    await server.close();
    await pause(350);
    await expect(verify(token)).resolves.toMatchObject(verified);
    await pause(3_700);
    await expectUncertain(token);
  });

  it('requests the keys of a failed issuer again only after the cool-down, and recovers', async () => {
    open({ cooldown: 2_000 });
    server.answerText('broken', 500);
    const token = await newToken();
    for (let call = 0; call < 20; call += 1) await expectUncertain(token);
    expect(server.requests).toBe(1);
    server.publish(first.jwk);
    await pause(2_010);
    await expect(verify(token)).resolves.toMatchObject(verified);
    expect(outcomes).toEqual(['not_200', 'success']);
  });

  it('requests the keys again after the cool-down when a refresh failed, not only at the next refresh', async () => {
    open({ refresh: 300, stale: 30_000, cooldown: 50 });
    const token = await newToken();
    await verify(token);
    server.answerText('broken', 500);
    await pause(310);
    await expect(verify(token)).resolves.toMatchObject(verified);
    expect(outcomes.at(-1)).toBe('not_200');
    server.publish(second.jwk);
    await pause(60);
    // The last keys are used meanwhile.
    await verify(token);
    await eventually(() => expect(outcomes.at(-1)).toBe('success'));
    await expect(verify(token)).rejects.toMatchObject(REJECTED);
  });

  it('uses a new key at once, even right after a download', async () => {
    await verify(await newToken());
    server.publish(first.jwk, second.jwk);
    await expect(verify(await newToken(second))).resolves.toMatchObject(verified);
  });

  it('rejects an unknown key once the key set was requested after the token was presented', async () => {
    await verify(await newToken());
    await expect(verify(await newToken(second))).rejects.toMatchObject(REJECTED);
    expect(server.requests).toBe(2);
  });

  it('does not reject a key by a download that was under way when the token was presented', async () => {
    open({ cooldown: 100 });
    const before = JSON.stringify({ keys: [first.jwk] });
    let respond = (): void => undefined;
    server.misbehave((_request, response) => {
      respond = () => response.end(before);
    });
    const pending = verify(await newToken());
    while (server.requests === 0) await pause(5);
    const presented = verify(await newToken(second));
    server.publish(first.jwk, second.jwk);
    respond();
    await expect(pending).resolves.toMatchObject(verified);
    await expect(presented).resolves.toMatchObject(verified);
  });

  it('requests the keys rarely during a flood of unknown keys, and still finds a real new one', async () => {
    open({ cooldown: 1_000 });
    await verify(await newToken());
    const invented = await Promise.all(
      Array.from({ length: 50 }, (_, index) => newToken({ ...second, kid: `invented ${index}` })),
    );
    const flood = Promise.allSettled(invented.map(verify));
    server.publish(first.jwk, second.jwk);
    await expect(verify(await newToken(second))).resolves.toMatchObject(verified);
    for (const outcome of await flood) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: REJECTED });
    }
    expect(server.requests).toBeLessThan(5);
    await expect(verify(await newToken())).resolves.toMatchObject(verified);
  });

  it('rejects a withdrawn key after the next refresh', async () => {
    open({ refresh: 100, cooldown: 50 });
    server.publish(first.jwk, second.jwk);
    const token = await newToken();
    await verify(token);
    server.publish(second.jwk);
    await pause(110);
    await expect(verify(token)).rejects.toMatchObject(REJECTED);
  });

  it('verifies tokens of two keys with one id, and rejects a token of neither', async () => {
    const twin = makeKey(first.kid);
    server.publish(first.jwk, twin.jwk);
    for (const key of [first, twin, first]) {
      await expect(verify(await newToken(key))).resolves.toMatchObject(verified);
    }
    await expect(verify(await newToken(makeKey(first.kid)))).rejects.toMatchObject({
      ...REJECTED,
      rejectionReason: 'signature',
    });
  });

  it('verifies tokens of a new key under an old id at once, and rejects those of the old key', async () => {
    const renewed = makeKey(first.kid);
    const oldToken = await newToken();
    await verify(oldToken);
    server.publish(renewed.jwk);
    const tokens = await Promise.all(Array.from({ length: 10 }, () => newToken(renewed)));
    for (const found of await Promise.all(tokens.map(verify))) {
      expect(found).toMatchObject(verified);
    }
    await expect(verify(oldToken)).rejects.toMatchObject(REJECTED);
    expect(server.requests).toBe(2);
  });

  it('requests the keys only once for many failed signatures, and again after the pause', async () => {
    open({ renewal: 3_600_000 });
    await verify(await newToken());
    const forger = makeKey(first.kid);
    for (let call = 0; call < 5; call += 1) {
      await expect(verify(await newToken(forger))).rejects.toMatchObject(REJECTED);
    }
    expect(server.requests).toBe(2);
    open({ renewal: 0 });
    await verify(await newToken());
    for (let call = 0; call < 2; call += 1) {
      await expect(verify(await newToken(forger))).rejects.toMatchObject(REJECTED);
    }
    expect(server.requests).toBe(5);
  });

  it.each(['refuses connections', 'never responds', 'returns an empty key set'])(
    'rejects a failed signature of a known key also when the issuer %s',
    async (fault) => {
      open({ download: 300 });
      await verify(await newToken());
      const [reason, cause] = KEY_SET_FAULTS[fault]!;
      await cause(server);
      await expect(verify(await newToken(makeKey(first.kid)))).rejects.toMatchObject(REJECTED);
      await expect(verify(await newToken())).resolves.toMatchObject(verified);
      expect(outcomes).toEqual(['success', reason]);
    },
  );

  it('ignores keys that it cannot use beside those that it can', async () => {
    const unusable = [
      { ...makeKey('first', 'RS256', 1024).jwk },
      { ...makeKey('first').jwk, use: 'enc' },
      { ...first.jwk, x: 'AAAA' },
      { kty: 'oct', kid: 'first', k: 'c2VjcmV0' },
      null,
      'key',
    ] as object[];
    server.publish(...unusable, first.jwk);
    await expect(verify(await newToken())).resolves.toMatchObject(verified);
  });

  it('finds no RSA key under 2048 bits, and no key for another algorithm', async () => {
    const short = makeKey('short', 'RS256', 1024);
    server.publish(first.jwk, short.jwk);
    await expect(issuer.findKey('short', 'RS256', '')).resolves.toBeUndefined();
    await expect(issuer.findKey('first', 'RS256', '')).resolves.toBeUndefined();
    await expect(issuer.findKey('first', 'ES256', '')).resolves.toMatchObject({ type: 'public' });
  });

  it('starts with a download, before any token comes', async () => {
    void issuer.warmUp();
    while (outcomes.length === 0) await pause(5);
    await verify(await newToken());
    expect(server.requests).toBe(1);
  });

  it('verifies the first token at once when the download before it failed', async () => {
    open({ cooldown: 60_000 });
    await server.close();
    void issuer.warmUp();
    while (outcomes.length === 0) await pause(5);
    await server.listen(server.port);
    await expect(verify(await newToken())).resolves.toMatchObject(verified);
  });
});
