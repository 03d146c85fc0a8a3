import {
  BUYER,
  ISSUER,
  errorLinesFor,
  OAUTH_ENDPOINT,
  PASSWORD_FILES,
  VALID_SETTINGS,
  SETTINGS,
} from '../../test/settings/settings-table.js';
import { loadSettings } from './settings.js';

/** Returns the settings by their paths. */
function byPath(settings: object): object {
  const places = Object.entries(settings as Record<string, unknown>).flatMap(([name, value]) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? [[name, value] as const]
      : Object.entries(value).map(
          ([inner, innerValue]) => [`${name}.${inner}`, innerValue as unknown] as const,
        ),
  );
  return Object.fromEntries(places);
}

describe('loadSettings', () => {
  it('has a default for every setting', () => {
    expect(byPath(loadSettings({}))).toEqual(
      Object.fromEntries([
        ...SETTINGS.map(([, place, byDefault]) => [place, byDefault] as const),
        ...PASSWORD_FILES.map(([, place]) => [place, undefined] as const),
      ]),
    );
  });

  it('reads every setting', () => {
    const env = Object.fromEntries(SETTINGS.map(([variable, , , text]) => [variable, text]));
    expect(byPath(loadSettings(env))).toMatchObject(
      Object.fromEntries(SETTINGS.map(([, place, , text, value = text]) => [place, value])),
    );
  });

  it.each([
    ['on', true],
    ['true', true],
    ['1', true],
    ['off', false],
    ['false', false],
    ['0', false],
  ])('reads a boolean from %s', (text, value) => {
    expect(loadSettings({ DATABASE_NAMED_STATEMENTS: text, MCP: text })).toMatchObject({
      hasMcp: value,
      database: { hasNamedStatements: value },
    });
  });

  it('reads a public address with a path', () => {
    const PUBLIC_URL = 'https://a.example/v2/deal-sets';
    expect(loadSettings({ PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL);
    expect(loadSettings({ PUBLIC_URL: 'https://a.example/' }).publicUrl).toBe('https://a.example');
  });

  it('is deeply frozen', () => {
    const settings = loadSettings({});
    const parts = [settings, settings.database, settings.rollout];
    expect(parts.map((value) => Object.isFrozen(value))).toEqual([true, true, true]);
  });

  it('treats an empty or blank value as unset', () => {
    const blank = Object.fromEntries(
      SETTINGS.map(([name], index) => [name, index % 2 ? '' : '  ']),
    );
    expect(loadSettings(blank)).toEqual(loadSettings({}));
  });

  it.each<[name: string, expected: string, ...values: string[]]>([
    ['HOST', '', 'two words', '-dash.example'],
    ['PORT', '', '65536', '-1', '80.5', '0x50', '1e3'],
    [
      'CORS_ORIGINS',
      'origins like https:',
      '*',
      'null',
      'https://a.example/',
      'https://a.example,',
      'https://*.example',
      'http://a.example',
    ],
    ['API_CONTACT', 'an https address or', 'a team', 'http://a.example', 'a@b@c.example'],
    ['MANAGEMENT_HOST', '', 'two words', 'a b'],
    ['MANAGEMENT_PORT', '', 'yes', '-1'],
    ['DEVELOPMENT_ISSUER', 'on or off', 'yes', 'ON', 'toString'],
    ['DATABASE_URL', 'an address like postgres:', 'db.example', 'mysql://db/deal_sets'],
    ['DATABASE_URL', 'an address like postgres:', 's3cret', 'postgres:user:s3cret@host/db'],
    ['DATABASE_READER_URL', 'an address like postgres:', 'reader', 'http://r'],
    ['DATABASE_ASSISTANT_URL', 'an address like postgres:', 'assistant', 'http://a'],
    ['DATABASE_REPLICA_URL', 'an address like postgres:', 'r2', 'http://r2'],
    ['DATABASE_NAMED_STATEMENTS', 'on or off', 'True', 'no'],
    ['DATABASE_POOL_SIZE', '', '0', '1001'],
    ['REDIS_URL', '', 'http://cache', 'cache'],
    ['SESSION_COOKIE', '', 'a b', 'a=b'],
    ['ROLLOUT_LIST', '', 'ON', `${BUYER},`],
    ['ROLLOUT_GET', '', 'some-buyer', 'true'],
    ['REQUEST_DEADLINE_MS', '', '0', '8001'],
    ['READ_RATE_LIMIT', '', '0', 'x'],
    ['READ_RATE_WINDOW_SECONDS', '', '0', '99999999999999999999'],
    ['FEED_MARGIN_MS', '', '-5', 'x'],
    ['SHUTDOWN_DELAY_MS', '', '-1', '5s'],
    ['SHUTDOWN_GRACE_MS', '', '0', 'x'],
    ['LOG_LEVEL', '', 'loud', 'INFO'],
    ['MCP', 'on or off', 'yes', '10'],
    ['PUBLIC_URL', '', 'https://a.example//', 'https://a.example/path/', 'http://a.example'],
    [
      'PUBLIC_URL',
      '',
      'https://a.example/a/../b',
      'https://a.example/a//b',
      'https://a.example/a?b',
    ],
    ['AUTH_ISSUER', 'an https address', 'http://i.example', 'i.example', 'https://i.example/#part'],
    ['AUTH_AUDIENCE', 'one audience, or several', 'deal-sets,', ',', 'a,,b'],
    ['AUTH_JWKS_URL', 'an https address', 'http://127.evil.example/jwks', 'file:///etc/keys'],
    [
      'AUTH_JWKS_URL',
      'an https address',
      'http://localhost.evil.example/jwks',
      'https://user:secret@issuer.example/jwks',
    ],
  ])('rejects a wrong %s without printing the value', (name, expected, ...values) => {
    const lines = values.map((value) => errorLinesFor({ ...VALID_SETTINGS, [name]: value }));
    // Every wrong value gives the same line.
    for (const found of lines) expect(found).toEqual(lines[0]);
    expect(lines[0]).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected ${expected}.+`)) as string,
    ]);
  });

  const PUBLIC = { ...ISSUER, PUBLIC_URL: 'https://api.example' };
  const NOT_LOOPBACK = ['0.0.0.0', '::', '10.0.0.5', 'deal-sets.example', '::ffff:10.0.0.5'];
  const PRODUCTION = ['production', 'Production', 'prod', 'staging', 'Development'];

  /** The expected lines, and the environments that cause them. */
  const CONFLICTS: readonly (readonly [expected: string, ...envs: NodeJS.ProcessEnv[]])[] = [
    ['AUTH_ISSUER: expected to be set', { ...ISSUER, AUTH_ISSUER: '' }],
    ['AUTH_AUDIENCE: expected to be set', { ...ISSUER, AUTH_AUDIENCE: '' }],
    ['AUTH_AUDIENCE: expected to be set', { ...ISSUER, AUTH_AUDIENCE: '', AUTH_JWKS_URL: '' }],
    ['AUTH_AUTHORIZATION_URL: expected to be set', { AUTH_TOKEN_URL: OAUTH_ENDPOINT }],
    ['AUTH_TOKEN_URL: expected to be set', { AUTH_AUTHORIZATION_URL: OAUTH_ENDPOINT }],
    [
      'DATABASE_ASSISTANT_URL: expected to be set',
      { DATABASE_URL: 'postgres://db/x', DATABASE_READER_URL: 'postgres://r@db/x' },
    ],
    ['DATABASE_URL: expected to be set', { DATABASE_REPLICA_URL: 'postgres://r1/x' }],
    [
      'AUTH_ISSUER: expected to be set.+ unless NODE_ENV is ',
      ...PRODUCTION.map((mode) => ({ NODE_ENV: mode })),
      { NODE_ENV: 'production', DEVELOPMENT_ISSUER: 'on' },
    ],
    [
      'AUTH_ISSUER: expected to be set.+DEVELOPMENT_ISSUER=on',
      ...NOT_LOOPBACK.map((host) => ({ HOST: host })),
    ],
    [
      'PUBLIC_URL: expected to be set with MCP=on',
      { HOST: '0.0.0.0', DEVELOPMENT_ISSUER: 'on', MCP: 'on' },
      { PORT: '0', MCP: 'on' },
    ],
    [
      'AUTH_AUDIENCE: expected to contain PUBLIC_URL',
      { ...PUBLIC, MCP: 'on' },
      { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'https://api.example/mcp/' },
    ],
    ['MANAGEMENT_PORT: expected a port other than PORT', { PORT: '4000', MANAGEMENT_PORT: '4000' }],
  ];
  it.each(CONFLICTS.flatMap(([expected, ...envs]) => envs.map((env) => [expected, env] as const)))(
    'reports %s for %j',
    (expected, env) => {
      expect(errorLinesFor(env)).toEqual([expect.stringMatching(new RegExp(`^${expected}`))]);
    },
  );

  const LOOPBACK_URLS = ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'];
  it.each<NodeJS.ProcessEnv>([
    ...LOOPBACK_URLS.map((url) => ({ ...ISSUER, AUTH_ISSUER: url, AUTH_JWKS_URL: `${url}/jwks` })),
    ...NOT_LOOPBACK.map((host) => ({ HOST: host, DEVELOPMENT_ISSUER: 'on' })),
    ...NOT_LOOPBACK.map((host) => ({ HOST: host, ...ISSUER })),
    ...['127.0.0.1', '127.1.2.3', '::1', 'localhost'].map((host) => ({ HOST: host })),
    { PORT: '0' },
    PUBLIC,
    { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'deal-sets,https://api.example' },
    { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'https://api.example/' },
    {
      ...PUBLIC,
      PUBLIC_URL: 'https://api.example/',
      MCP: 'on',
      AUTH_AUDIENCE: 'https://api.example',
    },
    { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'deal-sets,https://api.example/mcp' },
  ])('accepts %j', (env) => expect(errorLinesFor(env)).toEqual([]));

  it.each([
    ...PRODUCTION.map((mode) => [mode, true] as const),
    ...['', 'development', 'test'].map((mode) => [mode, false] as const),
  ])('treats NODE_ENV "%s" as production: %s', (mode, isProduction) => {
    const env = { NODE_ENV: mode, ...(isProduction ? ISSUER : {}) };
    expect(loadSettings(env).isProduction).toBe(isProduction);
  });

  it.each([
    ['log', 'info'],
    ['verbose', 'trace'],
  ])('maps the level %s of Nest to %s', (level, expected) => {
    expect(loadSettings({ LOG_LEVEL: level }).logLevel).toBe(expected);
  });

  it('reports all invalid settings at once, one line each', () => {
    const lines = errorLinesFor({ PORT: 'x', LOG_LEVEL: 'y', AUTH_ISSUER: 'z' });
    expect(lines.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'PORT',
      'AUTH_ISSUER',
      'AUTH_AUDIENCE',
      'LOG_LEVEL',
    ]);
  });
});
