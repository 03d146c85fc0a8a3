import { createHmac } from 'node:crypto';
import { bearer, LIST } from '../../setup/http-call.js';
import { makeKey, makeToken } from '../../setup/test-issuer.js';
import { createWorld, signInSuite } from './world.js';

const NOW = Math.floor(Date.now() / 1000);
const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Values of every JSON type, for a member that must be one certain text or number. */
const ODD = [
  null,
  true,
  5,
  -1,
  Infinity,
  '',
  ' ',
  [],
  ['x'],
  {},
  { sub: 'x' },
  '\u0000',
  'x'.repeat(300),
];

const HEADERS: readonly [member: string, values: readonly unknown[]][] = [
  [
    'alg',
    [
      'none',
      'None',
      'NONE',
      'HS256',
      'HS512',
      'RS384',
      'PS256',
      'ES384',
      'ES512',
      'EdDSA',
      'es256',
      ...ODD,
    ],
  ],
  ['typ', ['JWT', 'jwt', 'at', 'jwt+at', 'x-at+jwt', 'at+jwt ', 'application/jwt', ...ODD]],
  ['kid', ODD.filter((value) => typeof value !== 'string' || value === '' || value.length > 256)],
  ['crit', [[], ['exp'], ['b64'], 'exp', null]],
  ['b64', [false, true, null]],
];
const CLAIMS: readonly [member: string, values: readonly unknown[]][] = [
  ['iss', ['https://other.test', 'HTTPS://ISSUER.TEST', ...ODD]],
  ['aud', ['https://other.test', ['https://other.test', 5], ...ODD]],
  ['exp', [NOW - 1, 0, String(NOW + 300), ...ODD.filter((value) => typeof value !== 'number')]],
  ['iat', [NOW + 120, String(NOW), ...ODD.filter((value) => typeof value !== 'number')]],
  ['nbf', [NOW + 120, String(NOW), ...ODD.filter((value) => typeof value === 'string')]],
  ['sub', ['buyer', '0b7d3c52-6d0e-4a55-9d5f', ...ODD]],
  ['client_id', ODD.filter((value) => typeof value !== 'string' || value.trim() === '')],
  ['scope', [null, 5, [], ['offers:read'], {}]],
  ['act', [null, 5, 'x', [], {}, { sub: '' }, { sub: 5 }]],
];

describe('hostile tokens', () => {
  const suite = signInSuite();

  /** Tokens that are refuted without the issuer's keys, each with what is wrong. */
  async function refutable(): Promise<[what: string, token: string][]> {
    const { issuer, buyerId } = suite.world;
    const variants: Promise<[string, string]>[] = [];
    const add = (part: 'header' | 'claims', table: typeof HEADERS): void => {
      for (const [member, values] of table) {
        for (const [index, value] of values.entries()) {
          const what = `${part} ${member} ${index} ${JSON.stringify(value).slice(0, 30)}`;
          variants.push(
            issuer.token(buyerId, {}).then((good) => {
              const [header = '', claims = '', signature = ''] = good.split('.');
              const changed = (segment: string): string =>
                encode({
                  ...JSON.parse(Buffer.from(segment, 'base64url').toString()),
                  [member]: value,
                });
              const token =
                part === 'header'
                  ? `${changed(header)}.${claims}.${signature}`
                  : `${header}.${changed(claims)}.${signature}`;
              return [what, token];
            }),
          );
        }
      }
    };
    add('header', HEADERS);
    add('claims', CLAIMS);
    const good = await issuer.token(buyerId);
    const [header = '', claims = '', signature = ''] = good.split('.');
    const malformed: [string, string][] = [
      ['one segment', header],
      ['two segments', `${header}.${claims}`],
      ['four segments', `${good}.AAAA`],
      ['no signature', `${header}.${claims}.`],
      ['a padded signature', `${good}==`],
      ['half a signature', `${header}.${claims}.${signature.slice(0, 40)}`],
      ['claims that are a list', `${header}.${encode([1])}.${signature}`],
      ['a header that is no JSON', `${encode('{')}.${claims}.${signature}`],
      ['a long token', `${header}.${encode({ pad: 'x'.repeat(9000) })}.${signature}`],
      ['blanks', `${header}. ${claims}.${signature}`],
    ];
    return [...(await Promise.all(variants)), ...malformed];
  }

  /** Tokens whose signature alone is wrong. */
  async function forged(): Promise<[what: string, token: string][]> {
    const { issuer, buyerId } = suite.world;
    const good = await issuer.token(buyerId);
    const [header = '', claims = ''] = good.split('.');
    const hmac = createHmac('sha256', JSON.stringify(issuer.key.jwk)).update(`${header}.${claims}`);
    return [
      ['another key of the same id', await makeToken(makeKey('key-1'), buyerId)],
      ['an unknown key', await makeToken(makeKey('unknown'), buyerId)],
      ['zeros', `${header}.${claims}.${Buffer.alloc(64).toString('base64url')}`],
      [
        'a MAC with the public key',
        `${header}.${claims}.${Buffer.concat([hmac.digest(), Buffer.alloc(32)]).toString('base64url')}`,
      ],
    ];
  }

  it('are refused, 158 and more, with the challenge', async () => {
    const tokens = [...(await refutable()), ...(await forged())];
    expect(tokens.length).toBeGreaterThanOrEqual(158);
    for (const [what, token] of tokens) {
      const answer = await suite.app.call(LIST, bearer(token));
      expect([what, answer.status, answer.headers['www-authenticate']]).toEqual([
        what,
        401,
        'Bearer error="invalid_token"',
      ]);
    }
    expect((await suite.app.call(LIST, bearer(await suite.world.token()))).status).toBe(200);
  });

  it('are refused while the keys are out of reach, and what needs a key is unverifiable', async () => {
    const tokens = await refutable();
    const doubtful = await forged();
    const world = await createWorld();
    await world.issuer.close();
    const app = await world.start();
    try {
      for (const [what, token] of tokens) {
        expect([what, (await app.call(LIST, bearer(token))).code]).toEqual([
          what,
          'unauthenticated',
        ]);
      }
      for (const [what, token] of [...doubtful, ['a good one', await world.token()] as const]) {
        expect([what, (await app.call(LIST, bearer(token))).code]).toEqual([
          what,
          'auth_unverifiable',
        ]);
      }
    } finally {
      await app.stop();
      await world.close();
    }
  });
});
