import { randomUUID } from 'node:crypto';
import { SignJWT, type JWTPayload } from 'jose';
import { bearer, LIST } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { makeKey } from '../../../packages/testing/src/test-issuer.js';
import { World } from '../../setup/world.js';
import { CLIENT } from './sign-in-suite.js';

const key = makeKey('rsa-1', 'RS256');
const now = Math.floor(Date.now() / 1000);
const TIMES = { iat: now - 5, exp: now + 300 };
/** Claims that ID tokens of the code flow have. */
const ID_HASHES = { nonce: 'n-0S6_WzA2Mj', at_hash: 'fPlsvVszI29LU2UhDyJ9vg' };

/** An issuer, with the forms of its tokens as its documentation shows them. */
interface Issuer {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** The header of its tokens besides `alg` and `kid`. */
  readonly header: Readonly<Record<string, unknown>>;
  /** The claims of an access token for the service. */
  readonly accessToken: (buyerId: string) => JWTPayload;
  /**
   * The claims of an ID token that names the buyer and whose audience is that of the service, as
   * where an application and its API are registered as one.
   */
  readonly idToken: (buyerId: string) => JWTPayload;
  /** The claim that contains the client, in both tokens. */
  readonly client: string;
  readonly scopes: string;
}

const KEYCLOAK = 'https://sso.test/realms/acme';
const AUTH0 = 'https://acme.auth0.test/';
const OKTA = 'https://acme.okta.test/oauth2/default';
const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';
const COGNITO = 'https://cognito-idp.us-east-1.test/us-east-1_Example';
const AUTH0_BUYER = 'https://acme.test/buyer_id';

const ISSUERS: readonly Issuer[] = [
  {
    name: 'Keycloak',
    env: {
      AUTH_ISSUER: KEYCLOAK,
      AUTH_AUDIENCE: 'deal-sets',
      AUTH_TOKEN_TYPE: 'any',
      AUTH_CLIENT_CLAIM: 'azp',
      AUTH_BUYER_CLAIM: 'buyer_id',
    },
    header: { typ: 'JWT' },
    client: 'azp',
    scopes: 'scope',
    accessToken: (buyerId) => ({
      ...TIMES,
      auth_time: now - 6,
      jti: `onrtac:${randomUUID()}`,
      iss: KEYCLOAK,
      aud: ['deal-sets', 'account'],
      sub: randomUUID(),
      typ: 'Bearer',
      azp: CLIENT,
      sid: randomUUID(),
      acr: '1',
      realm_access: { roles: ['offline_access'] },
      resource_access: { account: { roles: ['view-profile'] } },
      scope: 'openid profile offers:read',
      buyer_id: buyerId,
    }),
    idToken: (buyerId) => ({
      ...TIMES,
      ...ID_HASHES,
      jti: randomUUID(),
      iss: KEYCLOAK,
      aud: 'deal-sets',
      sub: randomUUID(),
      typ: 'ID',
      azp: CLIENT,
      sid: randomUUID(),
      acr: '1',
      buyer_id: buyerId,
    }),
  },
  {
    name: 'Auth0',
    env: {
      AUTH_ISSUER: AUTH0,
      AUTH_AUDIENCE: 'https://api.acme.test',
      AUTH_TOKEN_TYPE: 'any',
      AUTH_CLIENT_CLAIM: 'azp',
      AUTH_BUYER_CLAIM: AUTH0_BUYER,
    },
    header: { typ: 'JWT' },
    client: 'azp',
    scopes: 'scope',
    accessToken: (buyerId) => ({
      ...TIMES,
      iss: AUTH0,
      sub: 'auth0|6553da60a54af58e29493993',
      aud: ['https://api.acme.test', `${AUTH0}userinfo`],
      azp: CLIENT,
      scope: 'openid profile offers:read',
      [AUTH0_BUYER]: buyerId,
    }),
    idToken: (buyerId) => ({
      ...TIMES,
      ...ID_HASHES,
      iss: AUTH0,
      sub: 'auth0|6553da60a54af58e29493993',
      aud: 'https://api.acme.test',
      azp: CLIENT,
      name: 'Jane Doe',
      sid: 'LEFtz3q7',
      [AUTH0_BUYER]: buyerId,
    }),
  },
  {
    name: 'Auth0 with its RFC 9068 profile',
    env: {
      AUTH_ISSUER: AUTH0,
      AUTH_AUDIENCE: 'https://api.acme.test',
      AUTH_BUYER_CLAIM: AUTH0_BUYER,
    },
    header: { typ: 'at+jwt' },
    client: 'client_id',
    scopes: 'scope',
    accessToken: (buyerId) => ({
      ...TIMES,
      iss: AUTH0,
      sub: 'auth0|6553da60a54af58e29493993',
      aud: ['https://api.acme.test', `${AUTH0}userinfo`],
      client_id: CLIENT,
      jti: '73WakrfVbNJBaAmhQtEeDv',
      scope: 'openid profile offers:read',
      [AUTH0_BUYER]: buyerId,
    }),
    // An ID token has the type JWT, whatever the profile of access tokens.
    idToken: (buyerId) => ({
      ...TIMES,
      iss: AUTH0,
      sub: 'auth0|6553da60a54af58e29493993',
      aud: 'https://api.acme.test',
      client_id: CLIENT,
      [AUTH0_BUYER]: buyerId,
    }),
  },
  {
    name: 'Okta',
    env: {
      AUTH_ISSUER: OKTA,
      AUTH_AUDIENCE: 'api://default',
      AUTH_TOKEN_TYPE: 'any',
      AUTH_CLIENT_CLAIM: 'cid',
      AUTH_SCOPE_CLAIM: 'scp',
      AUTH_BUYER_CLAIM: 'buyer_id',
    },
    header: {},
    client: 'cid',
    scopes: 'scp',
    accessToken: (buyerId) => ({
      ...TIMES,
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
      iss: OKTA,
      aud: 'api://default',
      cid: CLIENT,
      uid: '00ujmkLgagxeRrAg20g3',
      scp: ['openid', 'offers:read'],
      sub: 'jane.doe@acme.test',
      auth_time: now - 6,
      buyer_id: buyerId,
    }),
    idToken: (buyerId) => ({
      ...TIMES,
      ...ID_HASHES,
      ver: 1,
      jti: 'ID.radCQMOQUmyvcTBmmIL0J6BaS60apUEiC7-vI7pOmkw',
      iss: OKTA,
      aud: 'api://default',
      sub: '00ujmkLgagxeRrAg20g3',
      amr: ['pwd'],
      idp: '00o1',
      cid: CLIENT,
      buyer_id: buyerId,
    }),
  },
  {
    name: 'Entra, version 2',
    env: {
      AUTH_ISSUER: `https://login.microsoftonline.test/${TENANT}/v2.0`,
      AUTH_AUDIENCE: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      AUTH_TOKEN_TYPE: 'any',
      AUTH_CLIENT_CLAIM: 'azp',
      AUTH_SCOPE_CLAIM: 'scp',
      AUTH_BUYER_CLAIM: 'buyer_id',
    },
    header: { typ: 'JWT' },
    client: 'azp',
    scopes: 'scp',
    accessToken: (buyerId) => ({
      ...TIMES,
      nbf: TIMES.iat,
      aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      iss: `https://login.microsoftonline.test/${TENANT}/v2.0`,
      azp: CLIENT,
      azpacr: '0',
      oid: randomUUID(),
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: TENANT,
      scp: 'access_as_user offers:read',
      ver: '2.0',
      buyer_id: buyerId,
    }),
    idToken: (buyerId) => ({
      ...TIMES,
      ...ID_HASHES,
      nbf: TIMES.iat,
      aud: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      iss: `https://login.microsoftonline.test/${TENANT}/v2.0`,
      azp: CLIENT,
      oid: randomUUID(),
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: TENANT,
      ver: '2.0',
      buyer_id: buyerId,
    }),
  },
  {
    name: 'Entra, version 1',
    env: {
      AUTH_ISSUER: `https://sts.windows.test/${TENANT}/`,
      AUTH_AUDIENCE: 'api://deal-sets',
      AUTH_TOKEN_TYPE: 'any',
      AUTH_CLIENT_CLAIM: 'appid',
      AUTH_SCOPE_CLAIM: 'scp',
      AUTH_BUYER_CLAIM: 'buyer_id',
    },
    header: { typ: 'JWT', x5t: 'i6lGk3FZzxRcUb2C3nEQ7syHJlY' },
    client: 'appid',
    scopes: 'scp',
    accessToken: (buyerId) => ({
      ...TIMES,
      nbf: TIMES.iat,
      aud: 'api://deal-sets',
      iss: `https://sts.windows.test/${TENANT}/`,
      appid: CLIENT,
      appidacr: '0',
      oid: randomUUID(),
      sub: 'l3_roISQU222bULS9yi2k0XpqpOiMz5H3ZACo1GeXA',
      tid: TENANT,
      scp: 'offers:read',
      ver: '1.0',
      buyer_id: buyerId,
    }),
    idToken: (buyerId) => ({
      ...TIMES,
      ...ID_HASHES,
      nbf: TIMES.iat,
      aud: 'api://deal-sets',
      iss: `https://sts.windows.test/${TENANT}/`,
      appid: CLIENT,
      oid: randomUUID(),
      tid: TENANT,
      ver: '1.0',
      buyer_id: buyerId,
    }),
  },
  {
    name: 'Cognito with a bound resource',
    env: {
      AUTH_ISSUER: COGNITO,
      AUTH_AUDIENCE: 'https://api.acme.test',
      AUTH_TOKEN_TYPE: 'any',
      AUTH_BUYER_CLAIM: 'buyer_id',
    },
    header: {},
    client: 'client_id',
    scopes: 'scope',
    accessToken: (buyerId) => ({
      ...TIMES,
      sub: randomUUID(),
      iss: COGNITO,
      aud: 'https://api.acme.test',
      version: 2,
      client_id: CLIENT,
      origin_jti: randomUUID(),
      event_id: randomUUID(),
      token_use: 'access',
      scope: 'openid offers:read',
      auth_time: now - 6,
      jti: randomUUID(),
      username: 'my-test-user',
      buyer_id: buyerId,
    }),
    idToken: (buyerId) => ({
      ...TIMES,
      ...ID_HASHES,
      sub: randomUUID(),
      iss: COGNITO,
      aud: 'https://api.acme.test',
      client_id: CLIENT,
      'cognito:username': 'my-test-user',
      token_use: 'id',
      auth_time: now - 6,
      jti: randomUUID(),
      buyer_id: buyerId,
    }),
  },
];

let world: World;
beforeAll(async () => {
  world = await World.create();
  world.issuer.keyServer.publish(key.jwk);
});
afterAll(() => world.stop());

const sign = (header: Issuer['header'], claims: JWTPayload): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);

const withoutClaims = (claims: JWTPayload, ...names: readonly string[]): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));

/** Calls the service, and returns the status and the reason that the log has for a rejection. */
async function outcomeOf(service: TestService, token: string) {
  const { status, headers } = await service.call(LIST, bearer(token));
  const id = String(headers['service-request-id']);
  const line = service.logLines.find((text) => text.includes(id));
  return [status, (JSON.parse(line ?? '{}') as { reason?: string }).reason];
}

describe.each(ISSUERS)('tokens of $name', (issuer) => {
  const { env, header, client, scopes } = issuer;
  const isAny = env['AUTH_TOKEN_TYPE'] === 'any';
  let service: TestService;
  let accessToken: JWTPayload;
  let idToken: JWTPayload;
  beforeAll(async () => {
    service = await world.start({ env });
    accessToken = issuer.accessToken(world.buyer.id);
    idToken = issuer.idToken(world.buyer.id);
  });
  afterAll(() => service.stop());

  const outcome = async (claims: JWTPayload, ownHeader = header) =>
    outcomeOf(service, await sign(ownHeader, claims));

  it('are accepted', async () => {
    expect(await outcome(accessToken)).toEqual([200, undefined]);
  });

  it('are accepted for the acting party that they name', async () => {
    const claims = { ...accessToken, [client]: 'gateway', act: { sub: CLIENT } };
    expect(await outcome(claims)).toEqual([200, undefined]);
  });

  it('are never accepted as ID tokens', async () => {
    // An ID token is signed by the same issuer, and can have the service's audience.
    const idHeader = isAny ? header : { typ: 'JWT' };
    expect(await outcome(idToken, idHeader)).toEqual([401, 'wrong_type']);
    const bare = withoutClaims(idToken, 'nonce', 'at_hash');
    expect(await outcome(bare, idHeader)).toEqual([401, isAny ? 'claims' : 'wrong_type']);
    // A mapper of the issuer can add the scopes to its ID tokens.
    const scoped = { ...idToken, [scopes]: accessToken[scopes] };
    expect(await outcome(scoped, idHeader)).toEqual([401, 'wrong_type']);
  });

  it('are rejected with another type, if they have one', async () => {
    for (const typ of ['logout+jwt', 'secevent+jwt', 'x-at+jwt', '', null]) {
      expect([typ, ...(await outcome(accessToken, { typ }))]).toEqual([typ, 401, 'wrong_type']);
    }
  });

  it('are rejected without an audience, and for another one', async () => {
    expect(await outcome(withoutClaims(accessToken, 'aud'))).toEqual([401, 'audience']);
    expect(await outcome({ ...accessToken, aud: 'other' })).toEqual([401, 'audience']);
  });

  it('are rejected without a claim that they need, and hold no scope that they do not name', async () => {
    const { AUTH_BUYER_CLAIM: buyerClaim = '' } = env;
    for (const name of [client, buyerClaim]) {
      expect(await outcome(withoutClaims(accessToken, name))).toEqual([401, 'claims']);
    }
    expect(await outcome({ ...accessToken, [buyerClaim]: 'jane' })).toEqual([401, 'claims']);
    expect(await outcome(withoutClaims(accessToken, scopes))).toEqual(
      isAny ? [401, 'claims'] : [403, undefined],
    );
    expect(await outcome({ ...accessToken, [scopes]: 'profile' })).toEqual([403, undefined]);
  });
});

it('are rejected by default', async () => {
  const { env, header, accessToken } = ISSUERS[0]!;
  const { AUTH_ISSUER = '', AUTH_AUDIENCE = '' } = env;
  const service = await world.start({ env: { AUTH_ISSUER, AUTH_AUDIENCE } });
  try {
    const claims = accessToken(world.buyer.id);
    expect(await outcomeOf(service, await sign(header, claims))).toEqual([401, 'wrong_type']);
    const marked = await sign({ typ: 'at+jwt' }, claims);
    expect(await outcomeOf(service, marked)).toEqual([401, 'claims']);
  } finally {
    await service.stop();
  }
});
