import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  IssuerKeySet,
  KEY_SET_TIMES,
  type KeySetTimes,
} from '../../../src/auth/issuer-keys/issuer-key-set.js';
import { JwtAccessTokenVerifier } from '../../../src/auth/access-token/jwt-access-token-verifier.js';
import { KEY_SET_FAULTS, KeyServer } from '../../setup/key-server.js';
import { AUDIENCE, ISSUER, makeKey, makeToken } from '../../setup/test-issuer.js';

const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const EXPECTED = { issuer: ISSUER, audiences: [AUDIENCE] };
const REFUTED = { name: 'AppError', code: 'unauthenticated' };

const first = makeKey('first');
const second = makeKey('second');

describe("the issuer's key set", () => {
  let server: KeyServer;
  let keySet: IssuerKeySet;
  let verifier: JwtAccessTokenVerifier;
  let outcomes: string[];

  /** Times short enough to be waited for. */
  function open(times: Partial<KeySetTimes> = {}): void {
    outcomes = [];
    keySet = new IssuerKeySet(
      server.url,
      (failure) => outcomes.push(failure ? 'failure' : 'success'),
      {
        ...KEY_SET_TIMES,
        ...times,
      },
    );
    verifier = new JwtAccessTokenVerifier(EXPECTED, keySet);
  }

  beforeEach(async () => {
    server = await KeyServer.start();
    server.publish(first.jwk);
    open();
  });

  afterEach(async () => {
    keySet.stop();
    await server.close();
  });

  it('verifies tokens of ES256 and RS256 keys, and asks the issuer once', async () => {
    const rsa = makeKey('rsa', 'RS256');
    server.publish(first.jwk, rsa.jwk);
    const tokens = await Promise.all([makeToken(first, BUYER), makeToken(rsa, BUYER)]);
    const verified = await Promise.all(
      [...tokens, ...tokens].map((token) => verifier.verify(token)),
    );
    expect(verified.map(({ buyerId }) => buyerId)).toEqual([BUYER, BUYER, BUYER, BUYER]);
    expect(server.requests).toBe(1);
  });

  it.each(Object.entries(KEY_SET_FAULTS))(
    'cannot verify a token when it %s',
    async (_fault, cause) => {
      await cause(server);
      const startedAt = performance.now();
      const refusal = await verifier
        .verify(await makeToken(first, BUYER))
        .catch((error: unknown) => error);
      expect(refusal).toHaveProperty('message');
      expect(refusal).not.toMatchObject(REFUTED);
      expect(performance.now() - startedAt).toBeLessThan(3000);
    },
  );

  it.each(Object.entries(KEY_SET_FAULTS))(
    'believes the last keys for a while when it %s',
    async (_fault, cause) => {
      open({ refreshEvery: 20, downloadLimit: 150 });
      const token = await makeToken(first, BUYER);
      await verifier.verify(token);
      await cause(server);
      while (outcomes.at(-1) !== 'failure') await pause(10);
      await expect(verifier.verify(token)).resolves.toMatchObject({ buyerId: BUYER });
      await expect(verifier.verify(await makeToken(first, BUYER))).resolves.toMatchObject({
        buyerId: BUYER,
      });
    },
  );

  it('refutes malformed tokens also while the issuer is out of reach', async () => {
    await server.close();
    await expect(verifier.verify('garbage')).rejects.toMatchObject(REFUTED);
    const expired = await makeToken(first, BUYER, { claims: { exp: 1 } });
    await expect(verifier.verify(expired)).rejects.toMatchObject(REFUTED);
    expect(server.requests).toBe(0);
  });

  it('stops believing the last keys when the issuer stays out of reach', async () => {
    open({ refreshEvery: 20, staleFor: 300, downloadLimit: 50, pauseAfterFailure: 10_000 });
    const token = await makeToken(first, BUYER);
    await verifier.verify(token);
    await server.close();
    await pause(600);
    const refusal = await verifier.verify(token).catch((error: unknown) => error);
    expect(refusal).toHaveProperty('message');
    expect(refusal).not.toMatchObject(REFUTED);
  });

  it('does not ask an issuer that failed again before a pause is over, and recovers alone', async () => {
    open({ pauseAfterFailure: 400 });
    const { port } = server;
    server.answerText('broken', 500);
    const token = await makeToken(first, BUYER);
    for (let call = 0; call < 20; call += 1) await verifier.verify(token).catch(() => undefined);
    expect(server.requests).toBe(1);
    server.publish(first.jwk);
    while (outcomes.at(-1) !== 'success') await pause(20);
    await expect(verifier.verify(token)).resolves.toMatchObject({ buyerId: BUYER });
    expect(server.port).toBe(port);
  });

  it('takes up a new key at once, also right after a download', async () => {
    await verifier.verify(await makeToken(first, BUYER));
    server.publish(first.jwk, second.jwk);
    await expect(verifier.verify(await makeToken(second, BUYER))).resolves.toMatchObject({
      buyerId: BUYER,
    });
  });

  it('refutes an unknown key once the issuer was asked', async () => {
    await verifier.verify(await makeToken(first, BUYER));
    await expect(verifier.verify(await makeToken(second, BUYER))).rejects.toMatchObject(REFUTED);
  });

  it('asks rarely during a flood of unknown keys, and finds a real new one amid it', async () => {
    await verifier.verify(await makeToken(first, BUYER));
    const invented = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        makeToken({ ...second, kid: `invented ${index}` }, BUYER),
      ),
    );
    const flood = Promise.allSettled(invented.map((token) => verifier.verify(token)));
    server.publish(first.jwk, second.jwk);
    const real = await verifier.verify(await makeToken(second, BUYER));
    expect(real.buyerId).toBe(BUYER);
    for (const outcome of await flood) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: REFUTED });
    }
    expect(server.requests).toBeLessThan(10);
    await expect(verifier.verify(await makeToken(first, BUYER))).resolves.toMatchObject({
      buyerId: BUYER,
    });
  });

  it('answers one after another of a long flood by look-ups at a steady pace', async () => {
    open({ pausePerUnknownKey: 100 });
    await verifier.verify(await makeToken(first, BUYER));
    const startedAt = performance.now();
    for (let call = 0; call < 12; call += 1) {
      const token = await makeToken({ ...second, kid: `invented ${call}` }, BUYER);
      await expect(verifier.verify(token)).rejects.toMatchObject(REFUTED);
    }
    // Four at once, then one per pause.
    expect(performance.now() - startedAt).toBeGreaterThan(600);
  });

  it('refuses a withdrawn key after the next refresh, for tokens it verified before too', async () => {
    open({ refreshEvery: 100 });
    server.publish(first.jwk, second.jwk);
    const token = await makeToken(first, BUYER);
    await verifier.verify(token);
    server.publish(second.jwk);
    const asked = server.requests;
    while (server.requests < asked + 2) await pause(10);
    await expect(verifier.verify(token)).rejects.toMatchObject(REFUTED);
  });

  it('does not take a token for verified when another key came under the same id', async () => {
    open({ refreshEvery: 50 });
    const token = await makeToken(first, BUYER);
    await verifier.verify(token);
    server.publish({ ...second.jwk, kid: 'first' });
    const asked = server.requests;
    while (server.requests < asked + 2) await pause(10);
    await expect(verifier.verify(token)).rejects.toMatchObject(REFUTED);
  });

  it('keeps remembering tokens over a refresh that brings the same keys', async () => {
    await verifier.verify(await makeToken(first, BUYER));
    const before = keySet.known('first', 'ES256');
    server.publish(first.jwk, second.jwk);
    await verifier.verify(await makeToken(second, BUYER));
    expect(keySet.known('first', 'ES256')).toBe(before);
  });

  it.each([
    ['a signature of another key', makeToken({ ...second, kid: 'first' }, BUYER)],
    ['an RS256 header on an EC key', makeToken({ ...makeKey('first', 'RS256') }, BUYER)],
    [
      'changed claims',
      makeToken(first, BUYER).then((token) =>
        token.replace(
          /\.(.{20})/,
          (_all, start: string) => `.${start.slice(0, -1)}${start.endsWith('A') ? 'B' : 'A'}`,
        ),
      ),
    ],
    [
      'a signature of zeros',
      makeToken(first, BUYER).then((token) =>
        token.replace(/[^.]+$/, Buffer.alloc(64).toString('base64url')),
      ),
    ],
    [
      'a signature in DER',
      makeToken(first, BUYER).then((token) =>
        token.replace(/[^.]+$/, Buffer.from('3045', 'hex').toString('base64url')),
      ),
    ],
    ['HS256 with the public key as the secret', forgedWithPublicKey()],
  ])('refutes %s', async (_what, token) => {
    await expect(verifier.verify(await token)).rejects.toMatchObject(REFUTED);
  });

  it('does not use RSA keys under 2048 bits', async () => {
    const short = makeKey('short', 'RS256', 1024);
    server.publish(first.jwk, short.jwk);
    await expect(
      verifier.verify(await makeToken(makeKey('short', 'RS256'), BUYER)),
    ).rejects.toMatchObject(REFUTED);
    expect(keySet.known('short', 'RS256')).toBeUndefined();
  });

  it('does not remember a token beyond its time', async () => {
    const token = await makeToken(first, BUYER);
    await verifier.verify(token);
    const later = Date.now() + 331_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
    await expect(verifier.verify(token)).rejects.toMatchObject(REFUTED);
    clock.mockRestore();
  });
});

async function forgedWithPublicKey(): Promise<string> {
  const [, claims] = (await makeToken(first, BUYER)).split('.');
  const header = Buffer.from('{"alg":"HS256","typ":"at+jwt","kid":"first"}').toString('base64url');
  const secret = JSON.stringify(first.jwk);
  const signature = createHmac('sha256', secret)
    .update(`${header}.${claims ?? ''}`)
    .digest('base64url');
  return `${header}.${claims ?? ''}.${signature}`;
}
