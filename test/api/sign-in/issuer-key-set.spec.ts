import { setTimeout as pause } from 'node:timers/promises';
import { errors, jwtVerify } from 'jose';
import { readAccessToken, type AccessToken } from '../../../src/auth/bearer/access-token.js';
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
import { KEY_SET_FAULTS } from './key-set-faults.js';
import { AUDIENCE, ISSUER, makeKey, makeToken } from '../../../packages/testing/src/test-issuer.js';

const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const REJECTED = { name: 'AppError', code: 'unauthenticated' };
/** Longer than any test, which skips it. */
const COOL_DOWN_MS = 60_000;
let skippedMs = 0;
const untilCooledDown = (): void => {
  skippedMs += COOL_DOWN_MS;
};

const first = makeKey('first');
const second = makeKey('second');

describe("the issuer's key set", () => {
  let server: KeyServer;
  let issuer: RemoteIssuer | undefined;
  /** The result of each download: `success`, or the reason of its failure. */
  let outcomes: string[];

  /** A download may take as long as it does on a busy machine. */
  function open(times: Partial<KeySetTimes> = {}): void {
    outcomes = [];
    issuer?.onApplicationShutdown();
    issuer = new RemoteIssuer(
      { ...RFC_9068, issuer: ISSUER, audiences: [AUDIENCE], jwksUrl: server.url },
      { ...KEY_SET_TIMES, keyDownloadMs: 60_000, coolDownMs: COOL_DOWN_MS, ...times },
      (failure) => outcomes.push(failure ? (failure as IssuerFailure).reason : 'success'),
    );
  }

  /**
   * Checks a token as the service does: returns whether it is verified or rejected, and throws
   * where neither is certain.
   */
  async function verify(token: string): Promise<AccessToken> {
    const { keyId, algorithm, accessToken } = readAccessToken(token, issuer!, Date.now() / 1000);
    const key = await issuer!.findKey(keyId, algorithm);
    if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
    await jwtVerify(token, key).catch((error: unknown) => {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw new AppError('unauthenticated', { rejectionReason: 'signature' });
    });
    return accessToken;
  }

  /** Expects that a token is neither verified nor rejected. */
  async function expectUncertain(token: string): Promise<void> {
    const rejection = await verify(token).catch((error: unknown) => error);
    expect(rejection).toHaveProperty('message');
    expect(rejection).not.toMatchObject(REJECTED);
  }

  const verified = { buyerId: BUYER };
  const newToken = (key = first): Promise<string> => makeToken(key, BUYER);

  beforeAll(() => {
    for (const clock of [Date, performance]) {
      const now = clock.now.bind(clock);
      jest.spyOn(clock, 'now').mockImplementation(() => now() + skippedMs);
    }
  });
  afterAll(() => jest.restoreAllMocks());
  beforeEach(async () => {
    skippedMs = 0;
    server = await KeyServer.start();
    server.publish(first.jwk);
    open();
  });
  afterEach(async () => {
    issuer?.onApplicationShutdown();
    await server.close();
  });

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
      open(reason === 'too_slow' ? { keyDownloadMs: 300 } : {});
      await cause(server);
      await expectUncertain(await newToken());
      expect(outcomes).toEqual([reason]);
    },
  );

  it.each([
    'returns an empty key set',
    'returns more than 256 KiB',
    'never responds',
    'refuses connections',
  ])('uses the last keys, and rejects no unknown key, when the issuer %s', async (fault) => {
    open({ keyDownloadMs: 500 });
    const token = await newToken();
    await verify(token);
    const [reason, cause] = KEY_SET_FAULTS[fault]!;
    await cause(server);
    untilCooledDown();
    await expectUncertain(await newToken(second));
    expect(outcomes).toEqual(['success', reason]);
    await expect(verify(token)).resolves.toMatchObject(verified);
    untilCooledDown();
    await expectUncertain(await newToken(second));
    await expect(verify(await newToken())).resolves.toMatchObject(verified);
  });

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

  it('requests the keys of a failed issuer again only after the cool-down, and recovers', async () => {
    server.answerText('broken', 500);
    const token = await newToken();
    for (let call = 0; call < 20; call += 1) await expectUncertain(token);
    expect(server.requests).toBe(1);
    server.publish(first.jwk);
    untilCooledDown();
    await expect(verify(token)).resolves.toMatchObject(verified);
    expect(outcomes).toEqual(['not_200', 'success']);
  });

  it('rejects an unknown key, and requests the keys for it only after the cool-down', async () => {
    await verify(await newToken());
    const invented = await newToken(second);
    await expect(verify(invented)).rejects.toMatchObject(REJECTED);
    expect(server.requests).toBe(1);
    untilCooledDown();
    await expect(verify(invented)).rejects.toMatchObject(REJECTED);
    await expect(verify(invented)).rejects.toMatchObject(REJECTED);
    expect(server.requests).toBe(2);
  });

  it('uses a new key after the cool-down', async () => {
    await verify(await newToken());
    server.publish(first.jwk, second.jwk);
    untilCooledDown();
    await expect(verify(await newToken(second))).resolves.toMatchObject(verified);
    expect(server.requests).toBe(2);
  });

  it('rejects no key by a download that was under way when the token was presented', async () => {
    const before = JSON.stringify({ keys: [first.jwk] });
    let respond = (): void => undefined;
    server.misbehave((_request, response) => {
      respond = () => response.end(before);
    });
    const pending = verify(await newToken());
    while (server.requests === 0) await pause(5);
    const presented = expectUncertain(await newToken(second));
    server.publish(first.jwk, second.jwk);
    respond();
    await expect(pending).resolves.toMatchObject(verified);
    await presented;
    untilCooledDown();
    await expect(verify(await newToken(second))).resolves.toMatchObject(verified);
  });

  it('requests the keys once for a flood of unknown keys, and still finds a real new one', async () => {
    await verify(await newToken());
    const invented = await Promise.all(
      Array.from({ length: 50 }, (_, index) => newToken({ ...second, kid: `invented ${index}` })),
    );
    untilCooledDown();
    for (const outcome of await Promise.allSettled(invented.map(verify))) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: REJECTED });
    }
    server.publish(first.jwk, second.jwk);
    for (const token of invented) await expect(verify(token)).rejects.toMatchObject(REJECTED);
    expect(server.requests).toBe(2);
    untilCooledDown();
    await expect(verify(await newToken(second))).resolves.toMatchObject(verified);
    await expect(verify(await newToken())).resolves.toMatchObject(verified);
  });

  it('is downloaded again by a timer until the shutdown, and so forgets a withdrawn key', async () => {
    open({ refreshMs: 50, coolDownMs: 20 });
    const token = await newToken();
    await verify(token);
    server.publish(second.jwk);
    await eventually(() => expect(outcomes.length).toBeGreaterThan(2));
    await eventually(() => expect(verify(token)).rejects.toMatchObject(REJECTED));
    await expect(verify(await newToken(second))).resolves.toMatchObject(verified);
    issuer!.onApplicationShutdown();
    // The download that was running may still end.
    await pause(100);
    const requests = server.requests;
    await pause(200);
    expect(server.requests).toBe(requests);
  });

  it('is uncertain which of two keys with one id is meant', async () => {
    server.publish(first.jwk, makeKey(first.kid).jwk);
    await expectUncertain(await newToken());
  });

  it.each(['refuses connections', 'never responds', 'returns an empty key set'])(
    'rejects a failed signature of a known key also when the issuer %s',
    async (fault) => {
      await verify(await newToken());
      const [, cause] = KEY_SET_FAULTS[fault]!;
      await cause(server);
      await expect(verify(await newToken(makeKey(first.kid)))).rejects.toMatchObject(REJECTED);
      await expect(verify(await newToken())).resolves.toMatchObject(verified);
      expect(outcomes).toEqual(['success']);
    },
  );

  it('ignores members that are no keys, and keys for other purposes, beside the good ones', async () => {
    const unusable = [
      { ...makeKey('first', 'RS256', 1024).jwk },
      { ...makeKey('first').jwk, use: 'enc' },
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
    await expect(issuer!.findKey('short', 'RS256')).resolves.toBeUndefined();
    untilCooledDown();
    await expect(issuer!.findKey('first', 'RS256')).resolves.toBeUndefined();
    await expect(issuer!.findKey('first', 'ES256')).resolves.toMatchObject({ type: 'public' });
  });

  it('is downloaded before any token comes', async () => {
    expect(await issuer!.reload()).toBe(1);
    await verify(await newToken());
    expect(server.requests).toBe(1);
  });
});
