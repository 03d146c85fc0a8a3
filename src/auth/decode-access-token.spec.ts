import { AppError } from '../kernel/app-error.js';
import { decodeAccessToken } from './decode-access-token.js';

const NOW = 1_800_000_000;
const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const AUDIENCE = 'https://api.test';
const EXPECTED = {
  issuer: 'https://issuer.test',
  audiences: [AUDIENCE, 'https://api.test/mcp'],
};

const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'k1' };
const CLAIMS = {
  iss: EXPECTED.issuer,
  aud: AUDIENCE,
  sub: BUYER,
  client_id: 'assistant-1',
  scope: 'offers:read',
  iat: NOW - 10,
  exp: NOW + 300,
};
const signature = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64url');
const SIGNATURE = signature(64);

type Parts = Record<string, unknown>;

function segment(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function token(header: Parts = {}, claims: Parts = {}, signed = SIGNATURE): string {
  return `${segment({ ...HEADER, ...header })}.${segment({ ...CLAIMS, ...claims })}.${signed}`;
}

/** JSON drops members that are undefined, so naming one so leaves it out. */
const WITHOUT = undefined;

function expectRefuted(candidate: string): void {
  expect(() => decodeAccessToken(candidate, EXPECTED, NOW)).toThrow(
    new AppError('unauthenticated'),
  );
}

describe('refuting a token without keys', () => {
  it('finds nothing wrong with a good token, and reads it', () => {
    expect(decodeAccessToken(token(), EXPECTED, NOW)).toEqual({
      algorithm: 'ES256',
      keyId: 'k1',
      accessToken: {
        buyerId: BUYER,
        clientId: 'assistant-1',
        scopes: ['offers:read'],
        audiences: [AUDIENCE],
      },
    });
  });

  it.each([
    ['RS256', token({ alg: 'RS256' }, {}, signature(256))],
    ['typ application/at+jwt', token({ typ: 'application/at+jwt' })],
    ['typ in another case', token({ typ: 'AT+JWT' })],
    ['a list of audiences', token({}, { aud: ['https://other.test', AUDIENCE] })],
    ['about to expire', token({}, { exp: NOW + 1 })],
    ['issued within the skew ahead', token({}, { iat: NOW + 30 })],
    ['nbf that has come', token({}, { nbf: NOW })],
    [
      'jku, jwk and x5u headers, which are not followed',
      token({ jku: 'https://evil.test', jwk: {}, x5u: 'x' }),
    ],
    ['fractions of seconds', token({}, { exp: NOW + 0.5 })],
  ])('lets pass: %s', (_what, good) => {
    expect(decodeAccessToken(good, EXPECTED, NOW).accessToken.buyerId).toBe(BUYER);
  });

  it.each([
    ['nothing', ''],
    ['one segment', 'abc'],
    ['two segments', token().split('.').slice(0, 2).join('.')],
    ['four segments', `${token()}.AAAA`],
    ['five segments, as an encrypted token has', `${token()}.AAAA.AAAA`],
    ['an empty header', `.${segment(CLAIMS)}.${SIGNATURE}`],
    ['empty claims', `${segment(HEADER)}..${SIGNATURE}`],
    ['an empty signature', token({}, {}, '')],
    ['a padded signature', token({}, {}, `${SIGNATURE}==`)],
    ['a signature in plain base64', token({}, {}, `+/${SIGNATURE.slice(2)}`)],
    ['a signature with bits to spare', token({}, {}, `${SIGNATURE.slice(0, -1)}x`)],
    ['a signature of an impossible length', token({}, {}, 'AAAAA')],
    ['an ES256 signature of 63 bytes', token({}, {}, signature(63))],
    ['an ES256 signature of 65 bytes', token({}, {}, signature(65))],
    ['a longer token than any', token({}, { pad: 'x'.repeat(9000) })],
    [
      'a header that is not JSON',
      `${Buffer.from('{').toString('base64url')}.${segment(CLAIMS)}.${SIGNATURE}`,
    ],
    [
      'a header that is not UTF-8',
      `${Buffer.from('7bff7d', 'hex').toString('base64url')}.${segment(CLAIMS)}.${SIGNATURE}`,
    ],
    [
      'a header with a byte order mark',
      `${Buffer.from(`\ufeff${JSON.stringify(HEADER)}`).toString('base64url')}.${segment(CLAIMS)}.${SIGNATURE}`,
    ],
    ['a header that is a list', `${segment([HEADER])}.${segment(CLAIMS)}.${SIGNATURE}`],
    ['claims that are null', `${segment(HEADER)}.${segment(null)}.${SIGNATURE}`],
    ['claims that are a string', `${segment(HEADER)}.${segment('claims')}.${SIGNATURE}`],
    ['alg none', token({ alg: 'none' })],
    ['alg None', token({ alg: 'None' })],
    ['alg HS256', token({ alg: 'HS256' })],
    ['alg ES384', token({ alg: 'ES384' })],
    ['alg PS256', token({ alg: 'PS256' })],
    ['alg EdDSA', token({ alg: 'EdDSA' })],
    ['alg in lower case', token({ alg: 'es256' })],
    ['alg as a list', token({ alg: ['ES256'] })],
    ['no alg', token({ alg: WITHOUT })],
    ['typ JWT, as an ID token has', token({ typ: 'JWT' })],
    ['no typ', token({ typ: WITHOUT })],
    ['typ of something that only ends so', token({ typ: 'x-at+jwt' })],
    ['typ as a number', token({ typ: 1 })],
    ['no kid', token({ kid: WITHOUT })],
    ['an empty kid', token({ kid: '' })],
    ['kid as a number', token({ kid: 1 })],
    ['an endless kid', token({ kid: 'k'.repeat(257) })],
    ['an unknown critical header', token({ crit: ['exp'], exp: 1 })],
    ['an empty crit', token({ crit: [] })],
    ['b64 false', token({ b64: false, crit: ['b64'] })],
    ['b64 false without crit', token({ b64: false })],
    ['no iss', token({}, { iss: WITHOUT })],
    ['another iss', token({}, { iss: 'https://issuer.test/' })],
    ['iss as a list', token({}, { iss: [EXPECTED.issuer] })],
    ['no aud', token({}, { aud: WITHOUT })],
    ['another aud', token({}, { aud: 'https://api.test.evil' })],
    ['an empty list of audiences', token({}, { aud: [] })],
    ['audiences that are not all strings', token({}, { aud: [AUDIENCE, 1] })],
    ['no exp', token({}, { exp: WITHOUT })],
    ['exp as a string', token({}, { exp: String(NOW + 300) })],
    ['exp null', token({}, { exp: null })],
    ['an exp long over', token({}, { exp: NOW - 3600 })],
    ['an exp of this very second', token({}, { exp: NOW })],
    ['no iat', token({}, { iat: WITHOUT })],
    ['iat as a string', token({}, { iat: 'now' })],
    ['iat ahead of the skew', token({}, { iat: NOW + 31 })],
    ['nbf to come', token({}, { nbf: NOW + 31 })],
    ['nbf as a string', token({}, { nbf: '0' })],
    ['no sub', token({}, { sub: WITHOUT })],
    ['an empty sub', token({}, { sub: '' })],
    ['sub as a number', token({}, { sub: 5 })],
    ['sub that is no UUID', token({}, { sub: 'buyer-1' })],
    ['sub with something behind the UUID', token({}, { sub: `${BUYER}\n` })],
    ['no client_id', token({}, { client_id: WITHOUT })],
    ['an empty client_id', token({}, { client_id: '' })],
    ['a client_id with a blank', token({}, { client_id: 'assistant 1' })],
    ['client_id with a NUL', token({}, { client_id: 'a\u0000b' })],
    ['client_id as a list', token({}, { client_id: ['assistant-1'] })],
    ['act without sub', token({}, { act: {} })],
    ['act.sub as a number', token({}, { act: { sub: 1 } })],
    ['act as a string', token({}, { act: 'assistant-2' })],
    ['act null', token({}, { act: null })],
    ['scope as a list', token({}, { scope: ['offers:read'] })],
    ['scope as a number', token({}, { scope: 1 })],
  ])('refutes: %s', (_what, bad) => {
    expectRefuted(bad);
  });

  it('takes the last of two members of one name, as JSON does, so that one check sees what all see', () => {
    const claims = JSON.stringify(CLAIMS).replace(/}$/, `,"iss":"https://evil.test"}`);
    expectRefuted(`${segment(HEADER)}.${Buffer.from(claims).toString('base64url')}.${SIGNATURE}`);
  });

  it('names the assistant that acts for the client', () => {
    const { accessToken } = decodeAccessToken(
      token({}, { act: { sub: 'assistant-2' } }),
      EXPECTED,
      NOW,
    );
    expect(accessToken.clientId).toBe('assistant-2');
  });

  it('writes the buyer in lower case', () => {
    expect(
      decodeAccessToken(token({}, { sub: BUYER.toUpperCase() }), EXPECTED, NOW).accessToken.buyerId,
    ).toBe(BUYER);
  });

  it.each([
    [undefined, []],
    ['', []],
    ['  offers:read   requests:submit ', ['offers:read', 'requests:submit']],
    ['offers:reads', ['offers:reads']],
    ['offers:read\toffers:write', ['offers:read\toffers:write']],
  ])('reads the scopes of %j', (scope, scopes) => {
    expect(decodeAccessToken(token({}, { scope }), EXPECTED, NOW).accessToken.scopes).toEqual(
      scopes,
    );
  });

  it.each([
    ['malformed', 'no token'],
    ['malformed', token({ crit: ['exp'] })],
    ['wrong_type', token({ typ: 'JWT' })],
    ['algorithm', token({ alg: 'HS256' })],
    ['issuer', token({}, { iss: 'https://other.example' })],
    ['audience', token({}, { aud: 'other' })],
    ['expired', token({}, { exp: NOW })],
    ['not_yet_valid', token({}, { nbf: NOW + 31 })],
    ['claims', token({}, { sub: WITHOUT })],
  ])('says of a token that it is refused for: %s', (refusal, candidate) => {
    expect(() => decodeAccessToken(candidate, EXPECTED, NOW)).toThrow(
      expect.objectContaining({ code: 'unauthenticated', refusal }) as Error,
    );
  });
});
