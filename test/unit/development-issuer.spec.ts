import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { readAccessToken, type AccessToken } from '../../src/auth/bearer/access-token.js';
import { DevelopmentIssuer } from '../../src/auth/issuer/development-issuer.js';

const TOKEN = {
  buyerId: '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d',
  clientId: 'assistant-1',
  scope: 'offers:read requests:submit',
  ttlSeconds: 60,
};

/** Verifies a token as the service does: with the key that the issuer finds for it. */
async function verify(issuer: DevelopmentIssuer, token: string): Promise<AccessToken> {
  const { keyId, algorithm, accessToken } = readAccessToken(token, issuer, Date.now() / 1000);
  const key = await issuer.findKey(keyId, algorithm);
  await jwtVerify(token, key!);
  return accessToken;
}

describe('the development issuer', () => {
  let directory: string;

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'development-issuer-')), 'made', 'when-missing');
  });

  afterEach(() => rmSync(join(directory, '..', '..'), { recursive: true }));

  it('issues tokens that its own key verifies, also when it is opened again with the same options', async () => {
    const token = await DevelopmentIssuer.open(directory, ['http://localhost/mcp']).issueToken(
      TOKEN,
    );
    const issuer = DevelopmentIssuer.open(directory);
    const buyer = { buyerId: TOKEN.buyerId, clientId: TOKEN.clientId };
    const scopes = ['offers:read', 'requests:submit'];
    const audiences = ['urn:deal-sets:api'];
    const issuedAt = expect.any(Date) as Date;
    const verified = { ...buyer, scopes, audiences, issuedAt };
    await expect(verify(issuer, token)).resolves.toEqual(verified);
    const both = DevelopmentIssuer.open(directory, ['http://localhost/mcp']);
    await expect(verify(both, token)).resolves.toMatchObject({
      audiences: [...audiences, 'http://localhost/mcp'],
    });
  });

  it('keeps its key in one file that only its owner can read', () => {
    DevelopmentIssuer.open(directory);
    expect(readdirSync(directory)).toEqual(['development-issuer.pem']);
    expect(statSync(join(directory, 'development-issuer.pem')).mode & 0o777).toBe(0o600);
  });

  it('does not accept tokens that the issuer of another folder signed', async () => {
    const issuer = DevelopmentIssuer.open(directory);
    const foreign = await DevelopmentIssuer.open(join(directory, 'other')).issueToken(TOKEN);
    await expect(verify(issuer, foreign)).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
  });

  it.each([
    ['another key id', 'other', 'ES256'],
    ['another algorithm', 'development', 'RS256'],
  ] as const)('finds no key for %s', async (_what, keyId, algorithm) => {
    const issuer = DevelopmentIssuer.open(directory);
    await expect(issuer.findKey(keyId, algorithm)).resolves.toBeUndefined();
  });

  it.each([0o620, 0o602, 0o666])('rejects a key file of mode %o', (mode) => {
    DevelopmentIssuer.open(directory);
    const file = join(directory, 'development-issuer.pem');
    chmodSync(file, mode);
    expect(() => DevelopmentIssuer.open(directory)).toThrow(
      `${file} can be written by other users: remove the file, and a new key is created`,
    );
    chmodSync(file, 0o640);
    expect(() => DevelopmentIssuer.open(directory)).not.toThrow();
  });

  it('reports what is wrong with an invalid key', () => {
    DevelopmentIssuer.open(directory);
    writeFileSync(join(directory, 'development-issuer.pem'), 'no key');
    expect(() => DevelopmentIssuer.open(directory)).toThrow(
      /development-issuer\.pem .+ remove the file/,
    );
  });
});
