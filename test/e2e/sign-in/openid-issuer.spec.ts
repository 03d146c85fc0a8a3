import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { grant, load } from '../../builders/index.js';
import { OPENID_CLIENT, OPENID_RESOURCE, OpenIdIssuer, REDIRECT_URI } from './openid-issuer.js';
import { bearer, LIST } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { makeKey } from '../../setup/test-issuer.js';
import { createWorld, type SignInWorld } from './world.js';

describe('an access token of a real OpenID provider, by the authorization-code flow with PKCE', () => {
  let world: SignInWorld;
  let issuer: OpenIdIssuer;
  let app: TestService;
  let tokens: client.TokenEndpointResponse;

  beforeAll(async () => {
    world = await createWorld();
    const { privateKey } = makeKey('unused');
    const jwk = {
      ...privateKey.export({ format: 'jwk' }),
      alg: 'ES256',
      use: 'sig',
      kid: 'openid-1',
    };
    issuer = await OpenIdIssuer.start(world.buyerId, jwk);
    app = await world.start({
      AUTH_ISSUER: issuer.issuer,
      AUTH_AUDIENCE: OPENID_RESOURCE,
      AUTH_JWKS_URL: issuer.jwksUrl,
    });
    tokens = await authorize(issuer.issuer);
  });

  afterAll(async () => {
    await app.stop();
    await issuer.close();
    await world.close();
  });

  it('is a JWT access token', () => {
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: 'openid-1',
    });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: world.buyerId,
      client_id: OPENID_CLIENT,
    });
  });

  it('opens nothing before the service knows of the approval, and everything after, until it is revoked', async () => {
    const options = bearer(tokens.access_token);
    expect((await app.call(LIST, options)).code).toBe('unauthenticated');
    const approval = grant({ buyerId: world.buyerId, clientId: OPENID_CLIENT });
    await load(world.database, [approval]);
    expect((await app.call(LIST, options)).status).toBe(200);
    expect((await app.call(world.getPath, options)).status).toBe(200);
    await world.database.query('UPDATE assistant_grant SET revoked_at = now() WHERE id = $1', [
      approval.id,
    ]);
    expect((await app.call(LIST, options)).code).toBe('unauthenticated');
  });

  it('is not what the ID token of the same sign-in is', async () => {
    expect((await app.call(LIST, bearer(String(tokens.id_token)))).code).toBe('unauthenticated');
  });

  it('of another issuer is refused, though its key is published here', async () => {
    expect((await app.call(LIST, bearer(await world.token()))).code).toBe('unauthenticated');
  });
});

/** Signs in as an assistant's software would: to the approval page and back, then code for tokens. */
async function authorize(issuer: string): Promise<client.TokenEndpointResponse> {
  const config = await client.discovery(new URL(issuer), OPENID_CLIENT, undefined, client.None(), {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to stand out; this is loopback
    execute: [client.allowInsecureRequests],
  });
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  let next: URL = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid offers:read',
    resource: OPENID_RESOURCE,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  const cookies: Cookie[] = [];
  for (let step = 0; !next.href.startsWith(REDIRECT_URI); step += 1) {
    if (step > 10) throw new Error(`the provider leads in circles, by ${next.pathname}`);
    next = await follow(next, cookies);
  }
  return client.authorizationCodeGrant(
    config,
    next,
    { pkceCodeVerifier: verifier, expectedState: state },
    { resource: OPENID_RESOURCE },
  );
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** One step of the browser: keeps cookies by name and path, returns where it is sent. */
async function follow(url: URL, cookies: Cookie[]): Promise<URL> {
  const sent = cookies.filter(({ path }) => url.pathname.startsWith(path));
  const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/';
    const held = cookies.findIndex((one) => one.name === name && one.path === path);
    if (held !== -1) cookies.splice(held, 1);
    if (value !== '') cookies.push({ name, value, path });
  }
  const location = response.headers.get('location');
  if (!location)
    throw new Error(`no way on from ${url.pathname}: ${response.status} ${await response.text()}`);
  return new URL(location, url);
}
