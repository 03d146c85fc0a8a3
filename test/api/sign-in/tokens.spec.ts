import { createHmac } from 'node:crypto';
import { buyer, grant, insert } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { bearer, LIST, type HttpResponse } from '../../setup/http-call.js';
import {
  makeKey,
  makeToken,
  TestIssuer,
  type TestTokenOptions,
} from '../../../packages/testing/src/test-issuer.js';
import { CLIENT, signInSuite } from './sign-in-suite.js';

const encoded = (segment: Buffer | string): string => Buffer.from(segment).toString('base64url');
const nowSeconds = Math.floor(Date.now() / 1000);

/** Changes members in one segment of a token, and keeps its signature. */
function changed(token: string, place: 0 | 1, over: object): string {
  const segments = token.split('.');
  const decoded = JSON.parse(Buffer.from(segments[place]!, 'base64url').toString()) as object;
  segments[place] = encoded(JSON.stringify({ ...decoded, ...over }));
  return segments.join('.');
}

describe("an assistant's access token", () => {
  const suite = signInSuite();

  function expectRejected(response: HttpResponse): void {
    expect([response.status, response.code]).toEqual([401, 'unauthenticated']);
    expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  }
  const callWith = (token: string, path = LIST): Promise<HttpResponse> =>
    suite.app.call(path, bearer(token));
  it('is accepted from an RS256 key', async () => {
    const rsa = makeKey('rsa', 'RS256');
    suite.world.issuer.keyServer.publish(suite.world.issuer.key.jwk, rsa.jwk);
    const token = await makeToken(rsa, suite.world.buyer.id);
    // The keys may have been downloaded just before.
    await eventually(async () => expect((await callWith(token)).status).toBe(200));
  });

  it('is accepted for a root with and without a slash; other audiences are compared exactly', async () => {
    const { world } = suite;
    const app = await world.start({
      env: {
        AUTH_AUDIENCE:
          'https://one.test,https://two.test/,https://two.test/mcp,urn:deal-sets,api://two',
      },
    });
    const statusFor = async (aud: unknown): Promise<unknown> => {
      const token = await world.token({ claims: { aud } });
      return [aud, (await app.call(LIST, bearer(token))).status];
    };
    try {
      for (const aud of [
        'https://one.test',
        'https://one.test/',
        'https://two.test',
        ['https://other.test', 'https://two.test/'],
        'https://two.test/mcp',
        'urn:deal-sets',
        'api://two',
      ]) {
        expect(await statusFor(aud)).toEqual([aud, 200]);
      }
      for (const aud of [
        'https://one.test//',
        'https://ONE.test',
        'https://one.test:443/',
        'http://one.test',
        'https://two.test/mcp/',
        'urn:deal-sets/',
        'api://two/',
      ]) {
        expect(await statusFor(aud)).toEqual([aud, 401]);
      }
    } finally {
      await app.stop();
    }
  });

  /**
   * Tokens that are rejected without the issuer's keys. `access-token.spec.ts` tests each wrong
   * value of a member.
   */
  const INVALID_TOKENS: readonly (readonly [what: string, choices: TestTokenOptions])[] = [
    ['expired', { claims: { exp: nowSeconds - 60 } }],
    ['issued tomorrow', { claims: { iat: nowSeconds + 86_400 } }],
    ['not yet good', { claims: { nbf: nowSeconds + 3600 } }],
    ['of another issuer', { claims: { iss: 'https://other.test' } }],
    ['for another audience', { claims: { aud: 'https://other.test' } }],
    ['with a sub that is not an id', { claims: { sub: 'buyer-1' } }],
    ['without client_id', { claims: { client_id: undefined } }],
    ['of the type of ID tokens', { header: { typ: 'JWT' } }],
    ['without kid', { header: { kid: undefined } }],
    ['of an unknown critical header', { header: { crit: ['b64'], b64: true } }],
  ];
  /** Tokens whose text is malformed. */
  const MALFORMED: readonly (readonly [what: string, forge: (good: string) => string])[] = [
    ['no signature', (good) => good.replace(/[^.]+$/, '')],
    ['a signature in DER', (good) => good.replace(/[^.]+$/, encoded(Buffer.from('3045', 'hex')))],
    ['a fourth segment', (good) => `${good}.AAAA`],
    ['alg none', (good) => changed(good, 0, { alg: 'none' })],
    [
      'HS256 with the public key as the secret',
      (good) => {
        const signed = `${encoded('{"alg":"HS256","typ":"at+jwt","kid":"key-1"}')}.${good.split('.')[1]}`;
        const secret = suite.world.issuer.key.publicKey.export({ type: 'spki', format: 'pem' });
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      },
    ],
  ];
  /** Tokens whose signature alone is wrong. */
  const FORGED: readonly (readonly [
    what: string,
    forge: (good: string) => string | Promise<string>,
  ])[] = [
    ['a signature of another key', () => makeToken(makeKey('key-1'), suite.world.buyer.id)],
    ['claims of another token', (good) => changed(good, 1, { scope: 'offers:read more:read' })],
    ['a signature of zeros', (good) => good.replace(/[^.]+$/, encoded(Buffer.alloc(64)))],
    ['an unknown kid', () => makeToken(makeKey('unknown'), suite.world.buyer.id)],
  ];

  it.each([
    ...INVALID_TOKENS,
    ['of a buyer without approval', { claims: { sub: '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10' } }],
    ['of an assistant without approval', { claims: { client_id: 'assistant-2' } }],
    ['acting through an assistant without approval', { claims: { act: { sub: 'assistant-2' } } }],
  ] as const)('is rejected %s', async (_what, choices) => {
    const token = await suite.world.token(choices);
    expectRejected(await callWith(token));
    expectRejected(await callWith(token, suite.world.buyer.getPath));
  });

  it.each([
    ...MALFORMED,
    ...FORGED,
    [
      'an RS256 header on an EC key',
      () => makeToken(makeKey('key-1', 'RS256'), suite.world.buyer.id),
    ],
  ] as const)('is rejected with %s', async (_what, forge) => {
    expectRejected(await callWith(await forge(await suite.world.token())));
  });

  it('is rejected also while the keys are unreachable, and unverifiable where a key is required', async () => {
    const { world } = suite;
    const unreachable = await TestIssuer.start();
    await unreachable.stop();
    const app = await world.start({ env: { AUTH_JWKS_URL: unreachable.keyServer.url } });
    const good = await world.token();
    const expectCode = async (what: string, token: string, code: string): Promise<void> =>
      expect([what, (await app.call(LIST, bearer(token))).code]).toEqual([what, code]);
    try {
      for (const [what, choices] of INVALID_TOKENS)
        await expectCode(what, await world.token(choices), 'unauthenticated');
      for (const [what, forge] of MALFORMED) await expectCode(what, forge(good), 'unauthenticated');
      for (const [what, forge] of [...FORGED, ['nothing wrong', () => good] as const])
        await expectCode(what, await forge(good), 'auth_unverifiable');
    } finally {
      await app.stop();
    }
  });

  it('holds no scope that the approval does not hold', async () => {
    await insert(suite.world.database, [
      grant({ buyerId: suite.world.buyer.id, clientId: 'narrow', scopes: ['requests:submit'] }),
    ]);
    const token = await suite.world.token({ claims: { client_id: 'narrow' } });
    expect((await callWith(token)).code).toBe('insufficient_scope');
  });

  it("is an assistant's when `act` names the acting party", async () => {
    const claims = { client_id: 'gateway', act: { sub: CLIENT } };
    expect((await callWith(await suite.world.token({ claims }))).status).toBe(200);
  });

  it('is rejected on the very next request after its approval was revoked', async () => {
    const anna = buyer();
    const approval = grant({ buyerId: anna.id });
    await insert(suite.world.database, [anna, approval]);
    const token = await suite.world.issuer.token(anna.id);
    expect((await callWith(token)).status).toBe(200);
    const revoke = 'UPDATE deal_sets.assistant_grant SET revoked_at = now() WHERE id = $1';
    await suite.world.database.query(revoke, [approval.id]);
    expectRejected(await callWith(token));
    await insert(suite.world.database, [grant({ buyerId: anna.id })]);
    expect((await callWith(token)).status).toBe(200);
  });
});
