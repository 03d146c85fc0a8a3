import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevelopmentIssuer } from './development-issuer.js';
import { JwtAccessTokenVerifier } from './jwt-access-token-verifier.js';

const TOKEN = {
  buyerId: '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d',
  clientId: 'assistant-1',
  scope: 'offers:read requests:submit',
  ttlSeconds: 60,
};

describe('the development issuer', () => {
  let directory: string;

  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'development-issuer-')), 'made', 'when-missing');
  });

  afterEach(() => rmSync(join(directory, '..', '..'), { recursive: true }));

  it('issues tokens that its verifier accepts, also when opened again', async () => {
    const token = await DevelopmentIssuer.open(directory).issueToken(TOKEN);
    const issuer = DevelopmentIssuer.open(directory);
    await expect(new JwtAccessTokenVerifier(issuer, issuer).verify(token)).resolves.toEqual({
      buyerId: TOKEN.buyerId,
      clientId: TOKEN.clientId,
      scopes: ['offers:read', 'requests:submit'],
      audiences: ['urn:deal-sets:api'],
    });
  });

  it('keeps its key in one file that only its owner can read', () => {
    DevelopmentIssuer.open(directory);
    expect(readdirSync(directory)).toEqual(['development-issuer.pem']);
    expect(statSync(join(directory, 'development-issuer.pem')).mode & 0o777).toBe(0o600);
  });

  it('does not accept what the issuer of another folder signed', async () => {
    const issuer = DevelopmentIssuer.open(directory);
    const foreign = await DevelopmentIssuer.open(join(directory, 'other')).issueToken(TOKEN);
    await expect(new JwtAccessTokenVerifier(issuer, issuer).verify(foreign)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it.each([0o620, 0o602, 0o666])('refuses a key file of mode %o', (mode) => {
    DevelopmentIssuer.open(directory);
    const file = join(directory, 'development-issuer.pem');
    chmodSync(file, mode);
    expect(() => DevelopmentIssuer.open(directory)).toThrow(
      `${file} can be written by other users: remove it, and a new one is made`,
    );
    chmodSync(file, 0o640);
    expect(() => DevelopmentIssuer.open(directory)).not.toThrow();
  });

  it('says what is wrong with a key that is none', () => {
    DevelopmentIssuer.open(directory);
    writeFileSync(join(directory, 'development-issuer.pem'), 'no key');
    expect(() => DevelopmentIssuer.open(directory)).toThrow(/development-issuer\.pem .+ remove it/);
  });
});
