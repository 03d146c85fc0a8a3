import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { buyer, grant, load } from '../../builders/index.js';
import { bearer, LIST, type HttpResponse } from '../../setup/http-call.js';
import { hostedPath } from '../../setup/host-application.js';
import {
  makeKey,
  makeToken,
  TestIssuer,
  type TestTokenOptions,
} from '../../../packages/testing/src/test-issuer.js';
import { CLIENT, signInSuite } from './world.js';

describe("an assistant's access token", () => {
  const suite = signInSuite();
  const encoded = (part: Buffer | string): string => Buffer.from(part).toString('base64url');

  function expectRefused(answer: HttpResponse): void {
    expect([answer.status, answer.code]).toEqual([401, 'unauthenticated']);
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  }

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])(
    'is accepted under the scheme %s',
    async (scheme) => {
      const headers = { authorization: `${scheme} ${await suite.world.token()}` };
      expect((await suite.app.call(LIST, { headers })).status).toBe(200);
    },
  );

  it('is accepted from an RS256 key', async () => {
    const rsa = makeKey('rsa', 'RS256');
    suite.world.issuer.keyServer.publish(suite.world.issuer.key.jwk, rsa.jwk);
    expect(
      (await suite.app.call(LIST, bearer(await makeToken(rsa, suite.world.buyerId)))).status,
    ).toBe(200);
  });

  const nowSeconds = Math.floor(Date.now() / 1000);
  /** What is refuted without the issuer's keys; each odd value of a member: `decode-access-token.spec.ts`. */
  const REFUTED: readonly (readonly [what: string, choices: TestTokenOptions])[] = [
    ['expired', { claims: { exp: nowSeconds - 60 } }],
    ['without exp', { claims: { exp: undefined } }],
    ['without iat', { claims: { iat: undefined } }],
    ['issued tomorrow', { claims: { iat: nowSeconds + 86_400 } }],
    ['not yet good', { claims: { nbf: nowSeconds + 3600 } }],
    ['of another issuer', { claims: { iss: 'https://other.test' } }],
    ['for another audience', { claims: { aud: 'https://other.test' } }],
    ['without audience', { claims: { aud: undefined } }],
    ['without sub', { claims: { sub: undefined } }],
    ['with a sub that is no id', { claims: { sub: 'buyer-1' } }],
    ['without client_id', { claims: { client_id: undefined } }],
    ['with scopes in a list', { claims: { scope: ['offers:read'] } }],
    ['of the type of ID tokens', { header: { typ: 'JWT' } }],
    ['without a type', { header: { typ: undefined } }],
    ['without kid', { header: { kid: undefined } }],
    ['of an unknown critical header', { header: { crit: ['b64'], b64: true } }],
  ];
  /** The same by their text. */
  const MALFORMED: readonly (readonly [what: string, forge: (good: string) => string])[] = [
    ['no signature', (good) => good.replace(/[^.]+$/, '')],
    ['a signature in DER', (good) => good.replace(/[^.]+$/, encoded(Buffer.from('3045', 'hex')))],
    ['a fourth segment', (good) => `${good}.AAAA`],
    ['alg none', (good) => withHeader(good, { alg: 'none' })],
    ['HS256 with the public key as the secret', (good) => forgedWithPublicKey(good)],
  ];
  /** Those whose signature alone is wrong. */
  const FORGED: readonly (readonly [what: string, forge: (good: string) => unknown])[] = [
    ['a signature of another key', () => makeToken(makeKey('key-1'), suite.world.buyerId)],
    ['claims of another token', (good) => withClaims(good, { scope: 'offers:read more:read' })],
    ['a signature of zeros', (good) => good.replace(/[^.]+$/, encoded(Buffer.alloc(64)))],
    ['an unknown kid', () => makeToken(makeKey('unknown'), suite.world.buyerId)],
  ];

  it.each([
    ...REFUTED,
    ['of a buyer without approval', { claims: { sub: '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10' } }],
    ['of an assistant without approval', { claims: { client_id: 'assistant-2' } }],
    ['acting through an assistant without approval', { claims: { act: { sub: 'assistant-2' } } }],
  ] as const)('is refused %s', async (_what, choices) => {
    const options = bearer(await suite.world.token(choices));
    expectRefused(await suite.app.call(LIST, options));
    expectRefused(await suite.app.call(suite.world.getPath, options));
  });

  it.each([
    ...MALFORMED,
    ...FORGED,
    [
      'an RS256 header on an EC key',
      () => makeToken(makeKey('key-1', 'RS256'), suite.world.buyerId),
    ],
  ] as const)('is refused with %s', async (_what, forge) => {
    const forged = String(await forge(await suite.world.token()));
    expectRefused(await suite.app.call(LIST, bearer(forged)));
  });

  it('is refused also while the keys are out of reach, and unverifiable where it needs a key', async () => {
    const { world } = suite;
    const unreachable = await TestIssuer.start();
    await unreachable.stop();
    const app = await world.start({ AUTH_JWKS_URL: unreachable.keyServer.url });
    const codeOf = async (token: string): Promise<string | undefined> =>
      (await app.call(LIST, bearer(token))).code;
    const good = await world.token();
    try {
      for (const [what, choices] of REFUTED)
        expect([what, await codeOf(await world.token(choices))]).toEqual([what, 'unauthenticated']);
      for (const [what, forge] of MALFORMED)
        expect([what, await codeOf(forge(good))]).toEqual([what, 'unauthenticated']);
      for (const [what, forge] of [...FORGED, ['nothing wrong', () => good] as const])
        expect([what, await codeOf(String(await forge(good)))]).toEqual([
          what,
          'auth_unverifiable',
        ]);
    } finally {
      await app.stop();
    }
  });

  /** The token with changed members in one of its segments, and its signature. */
  function changed(token: string, place: 0 | 1, over: object): string {
    const segments = token.split('.');
    const decoded = JSON.parse(Buffer.from(segments[place]!, 'base64url').toString()) as object;
    segments[place] = encoded(JSON.stringify({ ...decoded, ...over }));
    return segments.join('.');
  }
  const withHeader = (token: string, over: object): string => changed(token, 0, over);
  const withClaims = (token: string, over: object): string => changed(token, 1, over);

  function forgedWithPublicKey(token: string): string {
    const [, claims = ''] = token.split('.');
    const signed = `${encoded('{"alg":"HS256","typ":"at+jwt","kid":"key-1"}')}.${claims}`;
    const secret = suite.world.issuer.key.publicKey.export({ type: 'spki', format: 'pem' });
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  }

  it('is refused in the query, and as an API key', async () => {
    const token = await suite.world.token();
    expectRefused(await suite.app.call(`${LIST}?access_token=${token}`));
    for (const name of ['x-api-key', 'api-key', 'x-access-token', 'proxy-authorization']) {
      expectRefused(await suite.app.call(LIST, { headers: { [name]: `Bearer ${token}` } }));
    }
  });

  it('is refused in two Authorization headers, even alike', async () => {
    const token = await suite.world.token();
    const socket = connect(suite.app.port, '127.0.0.1');
    await once(socket, 'connect');
    const line = `Authorization: Bearer ${token}\r\n`;
    socket.write(
      `GET ${hostedPath(LIST)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${line}${line}\r\n`,
    );
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).toContain('"unauthenticated"');
  });

  it('compares exact scope names', async () => {
    const codes = [];
    for (const scope of [
      undefined,
      '',
      'offers:reads',
      'OFFERS:READ',
      'offers',
      'offers:read,x',
      'requests:submit',
    ]) {
      codes.push(
        (await suite.app.call(LIST, bearer(await suite.world.token({ claims: { scope } })))).code,
      );
    }
    expect(new Set(codes)).toEqual(new Set(['insufficient_scope']));
    const several = bearer(
      await suite.world.token({ claims: { scope: 'requests:submit offers:read' } }),
    );
    expect((await suite.app.call(LIST, several)).status).toBe(200);
  });

  it('holds no scope that the approval does not hold', async () => {
    await load(suite.world.database, [
      grant({ buyerId: suite.world.buyerId, clientId: 'narrow', scopes: ['requests:submit'] }),
    ]);
    const token = await suite.world.token({ claims: { client_id: 'narrow' } });
    expect((await suite.app.call(LIST, bearer(token))).code).toBe('insufficient_scope');
  });

  it('is an assistant for whom `act` names who acts', async () => {
    const token = await suite.world.token({
      claims: { client_id: 'gateway', act: { sub: CLIENT } },
    });
    expect((await suite.app.call(LIST, bearer(token))).status).toBe(200);
  });

  it('is refused on the very next request after its approval was revoked', async () => {
    const anna = buyer();
    const approval = grant({ buyerId: anna.id });
    await load(suite.world.database, [anna, approval]);
    const token = await suite.world.issuer.token(anna.id);
    expect((await suite.app.call(LIST, bearer(token))).status).toBe(200);
    await suite.world.database.query(
      'UPDATE assistant_grant SET revoked_at = now() WHERE id = $1',
      [approval.id],
    );
    expectRefused(await suite.app.call(LIST, bearer(token)));
    await load(suite.world.database, [grant({ buyerId: anna.id })]);
    expect((await suite.app.call(LIST, bearer(token))).status).toBe(200);
  });

  it('shows nothing of another buyer', async () => {
    const anna = buyer();
    await load(suite.world.database, [anna, grant({ buyerId: anna.id })]);
    const options = bearer(await suite.world.issuer.token(anna.id));
    expect((await suite.app.call(LIST, options)).text).toBe('{"data":[]}');
    expect((await suite.app.call(suite.world.getPath, options)).code).toBe('not_found');
  });
});
