import type { IssuerFailureReason } from '../../../src/auth/issuer/issuer-failure.js';
import { KEY_SET_TIMES, RemoteIssuer } from '../../../src/auth/issuer/remote-issuer.js';
import { RFC_9068 } from '../../../src/config/settings-table.js';
import { KeyServer } from '../../../packages/testing/src/key-server.js';
import { AUDIENCE, makeKey, makeToken } from '../../../packages/testing/src/test-issuer.js';
import { insert, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { bearer, LIST } from '../../setup/http-call.js';
import { TestService } from '../../setup/test-service.js';

const key = makeKey('discovered');
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

type Documents = Readonly<Record<string, string>>;

let server: KeyServer;
let requestedUrls: string[];
beforeEach(async () => {
  server = await KeyServer.start();
  requestedUrls = [];
});
afterEach(() => server.close());

const issuerOf = ({ port }: KeyServer): string => `http://127.0.0.1:${port}`;

/** Serves documents by their paths, and the key at `/jwks`. */
function serve(documents: Documents): void {
  const all: Documents = { '/jwks': JSON.stringify({ keys: [key.jwk] }), ...documents };
  server.misbehave(({ url = '' }, response) => {
    requestedUrls.push(url);
    const text = all[url];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text);
  });
}

/** Metadata of the server's issuer, with the given members replaced. */
function metadata(members: Readonly<Record<string, unknown>> = {}): string {
  const issuer = issuerOf(server);
  return JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks`, ...members });
}

function open(jwksUrl?: string): RemoteIssuer {
  const times = { ...KEY_SET_TIMES, keyDownloadMs: 60_000, coolDownMs: 100 };
  const options = { ...RFC_9068, issuer: issuerOf(server), audiences: [AUDIENCE], jwksUrl };
  return new RemoteIssuer(options, times, () => undefined);
}

describe("an issuer's key set without AUTH_JWKS_URL", () => {
  it('is found by the metadata of RFC 8414', async () => {
    serve({ [OAUTH]: metadata() });
    expect(await open().findKey(key.kid, 'ES256')).toBeDefined();
    expect(requestedUrls).toEqual([OAUTH, '/jwks']);
  });

  it('is found by the metadata of OpenID Connect where there is no other', async () => {
    serve({ [OPENID]: metadata() });
    expect(await open().findKey(key.kid, 'ES256')).toBeDefined();
    expect(requestedUrls).toEqual([OAUTH, OPENID, '/jwks']);
  });

  it('is not looked up while AUTH_JWKS_URL is set', async () => {
    serve({ [OAUTH]: metadata() });
    expect(await open(`${issuerOf(server)}/jwks`).findKey(key.kid, 'ES256')).toBeDefined();
    expect(requestedUrls).toEqual(['/jwks']);
  });

  /** Metadata that cannot be used: what is wrong, the reason in the log, and the document. */
  const UNUSABLE: readonly (readonly [string, IssuerFailureReason, () => string])[] = [
    [
      'names another issuer',
      'issuer_mismatch',
      () => metadata({ issuer: 'https://other.example' }),
    ],
    [
      'names its issuer with a slash more',
      'issuer_mismatch',
      () => metadata({ issuer: `${issuerOf(server)}/` }),
    ],
    ['names no issuer', 'issuer_mismatch', () => '{}'],
    ['is a list', 'issuer_mismatch', () => '[]'],
    ['names no key set', 'no_jwks_uri', () => metadata({ jwks_uri: undefined })],
    ['names a number as its key set', 'no_jwks_uri', () => metadata({ jwks_uri: 1 })],
    // An address of this machine that does not count as loopback.
    [
      'names a key set by plain http',
      'no_jwks_uri',
      () => metadata({ jwks_uri: `http://[::ffff:7f00:1]:${server.port}/jwks` }),
    ],
    ['names a key set in a file', 'no_jwks_uri', () => metadata({ jwks_uri: 'file:///etc/keys' })],
    ['is not JSON', 'not_json', () => '<html>'],
  ];

  it.each(UNUSABLE)('stays unknown when the metadata %s: %s', async (_what, reason, text) => {
    for (const path of [OAUTH, OPENID]) {
      serve({ [path]: text() });
      await expect(open().findKey(key.kid, 'ES256')).rejects.toMatchObject({ reason });
    }
    expect(requestedUrls).not.toContain('/jwks');
  });

  it.each(UNUSABLE)(
    'is found in the second form when the first %s',
    async (_what, _reason, text) => {
      serve({ [OAUTH]: text(), [OPENID]: metadata() });
      expect(await open().findKey(key.kid, 'ES256')).toBeDefined();
      expect(requestedUrls).toEqual([OAUTH, OPENID, '/jwks']);
    },
  );

  it('stays unknown when there is no metadata', async () => {
    serve({});
    await expect(open().findKey(key.kid, 'ES256')).rejects.toMatchObject({
      reason: 'not_200',
    });
    expect(requestedUrls).toEqual([OAUTH, OPENID]);
  });

  it('is requested once for tokens that arrive together', async () => {
    serve({ [OAUTH]: metadata() });
    const issuer = open();
    const ids = [key.kid, key.kid, key.kid];
    const found = await Promise.all(ids.map((id) => issuer.findKey(id, 'ES256')));
    expect(found).not.toContain(undefined);
    expect(requestedUrls).toEqual([OAUTH, '/jwks']);
  });

  it('follows no redirect of the metadata', async () => {
    server.misbehave((_request, response) =>
      response.writeHead(302, { location: `${issuerOf(server)}/jwks` }).end(),
    );
    await expect(open().findKey(key.kid, 'ES256')).rejects.toMatchObject({
      reason: 'redirect',
    });
  });

  it('is reported in the log when the metadata names its issuer with a slash more', async () => {
    const issuer = issuerOf(server);
    serve({ [OPENID]: metadata({ issuer: `${issuer}/` }) });
    const env = { AUTH_ISSUER: issuer, AUTH_JWKS_URL: undefined };
    const service = await TestService.start({ env });
    try {
      const token = await makeToken(key, smallWorld().buyer.id, { claims: { iss: issuer } });
      expect((await service.call(LIST, bearer(token))).status).toBe(503);
      const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.find(({ msg }) => msg === 'JWKS download failed')).toMatchObject({
        level: 'warn',
        reason: 'issuer_mismatch',
        error: 'IssuerFailure',
      });
    } finally {
      await service.stop();
    }
  });

  it('is found without a restart when the issuer was down at the start', async () => {
    const { buyer, records } = smallWorld();
    serve({ [OAUTH]: metadata() });
    await server.close();
    const env = { AUTH_ISSUER: issuerOf(server), AUTH_JWKS_URL: undefined };
    const service = await TestService.start({ env });
    try {
      await insert(service.database, records);
      const token = await makeToken(key, buyer.id, { claims: { iss: issuerOf(server) } });
      const expired = await makeToken(key, buyer.id, {
        claims: { iss: issuerOf(server), exp: Math.floor(Date.now() / 1000) - 1 },
      });
      const unverifiable = await service.call(LIST, bearer(token));
      expect([unverifiable.status, unverifiable.code]).toEqual([503, 'auth_unverifiable']);
      expect((await service.call(LIST, bearer(expired))).status).toBe(401);
      await server.listen(server.port);
      await eventually(async () =>
        expect((await service.call(LIST, bearer(token))).status).toBe(200),
      );
    } finally {
      await service.stop();
    }
  });
});
