import type { CredentialRejectionReason } from '../../kernel/app-error.js';
import { RFC_9068 } from '../../config/settings-table.js';
import { readAccessToken } from './access-token.js';

const NOW = 1_800_000_000;
const BUYER = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const AUDIENCE = 'https://api.test';
const EXPECTED = {
  issuer: 'https://issuer.test',
  audiences: [AUDIENCE, 'https://api.test/mcp'],
  format: RFC_9068,
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

/** JSON drops undefined members, so an undefined value leaves a member out. */
const WITHOUT = undefined;

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64url');

/** Builds a token with a raw header that `token` cannot produce. */
const withHeader = (header: string): string => `${header}.${segment(CLAIMS)}.${SIGNATURE}`;

/** Malformed tokens: a description of the fault, and the token. */
const MALFORMED: readonly (readonly [string, string])[] = [
  ['an empty text', ''],
  ['one segment', 'abc'],
  ['two segments', token().split('.').slice(0, 2).join('.')],
  ['four segments', `${token()}.AAAA`],
  ['five segments, as an encrypted token has', `${token()}.AAAA.AAAA`],
  ['an empty header', withHeader('')],
  ['empty claims', `${segment(HEADER)}..${SIGNATURE}`],
  ['an empty signature', token({}, {}, '')],
  ['a padded signature', token({}, {}, `${SIGNATURE}==`)],
  ['a signature in plain base64', token({}, {}, `+/${SIGNATURE.slice(2)}`)],
  ['a signature with bits to spare', token({}, {}, `${SIGNATURE.slice(0, -1)}x`)],
  ['a signature of an impossible length', token({}, {}, 'AAAAA')],
  ['an ES256 signature of 63 bytes', token({}, {}, signature(63))],
  ['an ES256 signature of 65 bytes', token({}, {}, signature(65))],
  ['a longer token than any', token({}, { pad: 'x'.repeat(9000) })],
  ['a header that is not JSON', withHeader(base64('{'))],
  ['a header that is not UTF-8', withHeader(base64(Buffer.from('7bff7d', 'hex')))],
  ['a header that is a list', withHeader(segment([HEADER]))],
  ['claims that are null', `${segment(HEADER)}.${segment(null)}.${SIGNATURE}`],
  ['claims that are a string', `${segment(HEADER)}.${segment('claims')}.${SIGNATURE}`],
];

/** Members of the header, the rejection reason, and the values that are rejected for it. */
const WRONG_HEADERS: readonly (readonly [string, CredentialRejectionReason, readonly unknown[]])[] =
  [
    [
      'alg',
      'algorithm',
      [WITHOUT, 'none', 'None', 'HS256', 'ES384', 'PS256', 'EdDSA', 'es256', ['ES256']],
    ],
    // The type of an ID token, and a type that only has the right ending.
    ['typ', 'wrong_type', ['JWT', WITHOUT, 'x-at+jwt', 1]],
    ['kid', 'malformed', [WITHOUT, '', 1]],
    ['crit', 'malformed', [['exp'], []]],
    ['b64', 'malformed', [false]],
  ];

/** Claims, in the same form as `WRONG_HEADERS`. */
const WRONG_CLAIMS: readonly (readonly [string, CredentialRejectionReason, readonly unknown[]])[] =
  [
    ['iss', 'issuer', [WITHOUT, 'https://issuer.test/', [EXPECTED.issuer]]],
    [
      'aud',
      'audience',
      [
        WITHOUT,
        'https://api.test.evil',
        [],
        [AUDIENCE, 1],
        'https://api.test/mcp/',
        'HTTPS://api.test',
      ],
    ],
    ['exp', 'claims', [WITHOUT, String(NOW + 300), null]],
    // The current second counts as expired.
    ['exp', 'expired', [NOW - 3600, NOW]],
    ['iat', 'claims', [WITHOUT, 'now']],
    ['iat', 'not_yet_valid', [NOW + 31]],
    ['nbf', 'not_yet_valid', [NOW + 31, '0']],
    ['cnf', 'key_bound', [{ jkt: 'thumbprint' }, { 'x5t#S256': 'thumbprint' }, {}, null]],
    ['sub', 'claims', [WITHOUT, '', 5, 'buyer-1', `${BUYER}\n`]],
    ['client_id', 'claims', [WITHOUT, '', 'assistant 1', 'a\u0000b', ['assistant-1']]],
    ['act', 'claims', [{}, { sub: 1 }, 'assistant-2', null]],
    ['scope', 'claims', [['offers:read'], 1]],
  ];

describe('the check of a token without keys', () => {
  it('finds nothing wrong with a good token, and reads it', () => {
    expect(readAccessToken(token(), EXPECTED, NOW)).toEqual({
      algorithm: 'ES256',
      keyId: 'k1',
      accessToken: {
        buyerId: BUYER,
        clientId: 'assistant-1',
        scopes: ['offers:read'],
        audiences: [AUDIENCE],
        issuedAt: new Date((NOW - 10) * 1000),
      },
    });
  });

  it.each([
    ['RS256', token({ alg: 'RS256' }, {}, signature(256))],
    ['typ application/at+jwt', token({ typ: 'application/at+jwt' })],
    ['typ in another case', token({ typ: 'AT+JWT' })],
    ['a list of audiences', token({}, { aud: ['https://other.test', AUDIENCE] })],
    ['an audience with the slash of its root', token({}, { aud: `${AUDIENCE}/` })],
    ['a token that is about to expire', token({}, { exp: NOW + 1 })],
    ['an iat ahead of the clock by no more than the skew', token({}, { iat: NOW + 30 })],
    ['an nbf that has passed', token({}, { nbf: NOW })],
    [
      'jku, jwk and x5u headers, which are not followed',
      token({ jku: 'https://evil.test', jwk: {}, x5u: 'x' }),
    ],
    ['fractions of seconds', token({}, { exp: NOW + 0.5 })],
  ])('accepts %s', (_what, good) => {
    expect(readAccessToken(good, EXPECTED, NOW).keyId).toBe('k1');
  });

  const expectRejected = (candidate: string, rejectionReason: CredentialRejectionReason): void =>
    expect(() => readAccessToken(candidate, EXPECTED, NOW)).toThrow(
      expect.objectContaining({ code: 'unauthenticated', rejectionReason }) as Error,
    );

  it.each(MALFORMED)('rejects %s', (_what, candidate) => expectRejected(candidate, 'malformed'));

  it.each(WRONG_HEADERS)('rejects a header whose %s is wrong: %s', (name, reason, values) => {
    for (const value of values) expectRejected(token({ [name]: value }), reason);
  });

  it.each(WRONG_CLAIMS)('rejects claims whose %s is wrong: %s', (name, reason, values) => {
    for (const value of values) expectRejected(token({}, { [name]: value }), reason);
  });

  it('uses the last of two members with one name, as JSON does, so that all checks agree', () => {
    const claims = JSON.stringify(CLAIMS).replace(/}$/, `,"iss":"https://evil.test"}`);
    expectRejected(`${segment(HEADER)}.${base64(claims)}.${SIGNATURE}`, 'issuer');
  });

  const accessTokenOf = (claims: Parts) =>
    readAccessToken(token({}, claims), EXPECTED, NOW).accessToken;

  it('names the assistant that acts for the client, and the buyer in lower case', () => {
    const claims = { act: { sub: 'assistant-2' }, sub: BUYER.toUpperCase() };
    expect(accessTokenOf(claims)).toMatchObject({ clientId: 'assistant-2', buyerId: BUYER });
  });

  it.each([
    [undefined, []],
    ['', []],
    ['  offers:read   requests:submit ', ['offers:read', 'requests:submit']],
    ['offers:read\toffers:write', ['offers:read\toffers:write']],
  ])('reads the scopes of %j', (scope, scopes) => {
    expect(accessTokenOf({ scope }).scopes).toEqual(scopes);
  });

  describe('in the format of another issuer', () => {
    const OTHER = {
      ...EXPECTED,
      format: { tokenType: 'any', clientClaim: 'cid', scopeClaim: 'scp', buyerClaim: 'buyer' },
    } as const;
    const claims = { ...CLAIMS, sub: 'jane', client_id: 5, cid: 'a', buyer: BUYER, scp: ['x y'] };

    it('reads only the claims of that format, and a list of scopes as it is', () => {
      expect(readAccessToken(token({}, claims), OTHER, NOW).accessToken).toMatchObject({
        buyerId: BUYER,
        clientId: 'a',
        scopes: ['x y'],
      });
    });

    it.each([WITHOUT, 'JWT', 'jwt', 'application/jwt', 'at+jwt'])('accepts the typ %j', (typ) => {
      expect(readAccessToken(token({ typ }, claims), OTHER, NOW).keyId).toBe('k1');
    });

    it.each([
      [{ scp: WITHOUT }, 'claims'],
      [{ scp: null }, 'claims'],
      [{ scp: ['offers:read', 1] }, 'claims'],
      [{ scp: { 0: 'offers:read' } }, 'claims'],
      [{ cid: ['a'] }, 'claims'],
      [{ buyer: [BUYER] }, 'claims'],
      ...['nonce', 'at_hash', 'c_hash', 's_hash'].map(
        (name) => [{ [name]: '' }, 'wrong_type'] as const,
      ),
    ] as const)('rejects %j', (over, rejectionReason) => {
      const candidate = token({ typ: 'JWT' }, { ...claims, ...over });
      expect(() => readAccessToken(candidate, OTHER, NOW)).toThrow(
        expect.objectContaining({ rejectionReason }) as Error,
      );
    });

    it('takes no claim from the prototype of an object', () => {
      const format = { ...OTHER.format, scopeClaim: 'constructor' };
      const candidate = token({}, claims);
      expect(() => readAccessToken(candidate, { ...OTHER, format }, NOW)).toThrow(
        expect.objectContaining({ rejectionReason: 'claims' }) as Error,
      );
    });
  });
});
