import { readFileSync } from 'node:fs';
import { loadSettings, settingNames, SettingsError } from './load-settings.js';

const BUYER = '0B7C8A1E-54D3-4F6B-9E0A-1C2D3E4F5A6B';
const ISSUER = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'deal-sets',
  AUTH_JWKS_URL: 'https://issuer.example/jwks',
};

function linesOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

describe('loadSettings', () => {
  it('has a default for everything', () => {
    expect(loadSettings({})).toEqual({
      isProduction: false,
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      hasMcp: false,
      database: {
        url: undefined,
        readerUrl: undefined,
        assistantUrl: undefined,
        replicaUrl: undefined,
        hasNamedStatements: true,
        poolSize: 10,
      },
      redisUrl: undefined,
      issuer: undefined,
      authorizationEndpoints: undefined,
      isDevelopmentIssuerPublic: false,
      sessionCookie: '__Host-session',
      rollout: { list: 'on', get: 'on', mcp: 'on' },
      requestDeadlineMs: 8000,
      readRate: { limit: 120, windowSeconds: 60 },
      feedMarginMs: 1000,
      shutdownGraceMs: 10_000,
      logLevel: 'info',
      managementHost: '127.0.0.1',
      managementPort: undefined,
    });
  });

  it('reads every setting', () => {
    const settings = loadSettings({
      ...ISSUER,
      AUTH_AUDIENCE: 'deal-sets, https://api.example/mcp',
      NODE_ENV: 'production',
      HOST: '::',
      PORT: '0',
      PUBLIC_URL: 'https://api.example',
      MCP: 'on',
      MANAGEMENT_HOST: '10.0.0.5',
      MANAGEMENT_PORT: '0',
      DEVELOPMENT_ISSUER: 'on',
      DATABASE_URL: 'postgres://writer:secret@db/deal_sets',
      DATABASE_READER_URL: 'postgres://reader@db/deal_sets',
      DATABASE_ASSISTANT_URL: 'postgresql://assistant@db/deal_sets',
      DATABASE_REPLICA_URL: 'postgres://r1/deal_sets',
      DATABASE_NAMED_STATEMENTS: 'off',
      DATABASE_POOL_SIZE: '4',
      REDIS_URL: 'rediss://cache:6379',
      AUTH_AUTHORIZATION_URL: 'https://issuer.example/authorize',
      AUTH_TOKEN_URL: 'https://issuer.example/token',
      SESSION_COOKIE: 'sid',
      ROLLOUT_LIST: 'off',
      ROLLOUT_GET: `${BUYER}, ${BUYER.toLowerCase()}`,
      ROLLOUT_MCP: 'off',
      REQUEST_DEADLINE_MS: '300',
      READ_RATE_LIMIT: '5',
      READ_RATE_WINDOW_SECONDS: '2',
      FEED_MARGIN_MS: '0',
      SHUTDOWN_GRACE_MS: '500',
      LOG_LEVEL: 'debug',
    });
    expect(settings).toEqual({
      isProduction: true,
      host: '::',
      port: 0,
      publicUrl: 'https://api.example',
      hasMcp: true,
      database: {
        url: 'postgres://writer:secret@db/deal_sets',
        readerUrl: 'postgres://reader@db/deal_sets',
        assistantUrl: 'postgresql://assistant@db/deal_sets',
        replicaUrl: 'postgres://r1/deal_sets',
        hasNamedStatements: false,
        poolSize: 4,
      },
      redisUrl: 'rediss://cache:6379',
      issuer: {
        issuer: ISSUER.AUTH_ISSUER,
        audiences: ['deal-sets', 'https://api.example/mcp'],
        jwksUrl: ISSUER.AUTH_JWKS_URL,
      },
      authorizationEndpoints: {
        authorizationUrl: 'https://issuer.example/authorize',
        tokenUrl: 'https://issuer.example/token',
      },
      isDevelopmentIssuerPublic: true,
      sessionCookie: 'sid',
      rollout: { list: 'off', get: new Set([BUYER.toLowerCase()]), mcp: 'off' },
      requestDeadlineMs: 300,
      readRate: { limit: 5, windowSeconds: 2 },
      feedMarginMs: 0,
      shutdownGraceMs: 500,
      logLevel: 'debug',
      managementHost: '10.0.0.5',
      managementPort: 0,
    });
  });

  it('is frozen to the bottom', () => {
    const settings = loadSettings({});
    const parts = [settings, settings.database, settings.rollout];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true]);
  });

  it('takes an empty or blank value for unset', () => {
    const blank = Object.fromEntries(
      [...settingNames].map((name, index) => [name, index % 2 ? '' : '  ']),
    );
    expect(loadSettings(blank)).toEqual(loadSettings({}));
  });

  /** Right settings beside which one is wrong. */
  const RIGHT = {
    ...ISSUER,
    DATABASE_URL: 'postgres://db/x',
    DATABASE_READER_URL: 'postgres://r@db/x',
    DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
  };

  it.each<[name: string, expected: string, ...values: string[]]>([
    ['HOST', '', 'two words', '-dash.example'],
    ['PORT', '', '65536', '-1', '80.5', '0x50', '1e3'],
    ['MANAGEMENT_HOST', '', 'two words', 'a b'],
    ['MANAGEMENT_PORT', '', 'yes', '-1'],
    ['DEVELOPMENT_ISSUER', '', 'yes', '1'],
    ['DATABASE_URL', 'an address like postgres:', 'db.example', 'mysql://db/deal_sets'],
    ['DATABASE_READER_URL', 'an address like postgres:', 'reader', 'http://r'],
    ['DATABASE_ASSISTANT_URL', 'an address like postgres:', 'assistant', 'http://a'],
    ['DATABASE_REPLICA_URL', 'an address like postgres:', 'r2', 'http://r2'],
    ['DATABASE_NAMED_STATEMENTS', '', 'true', 'no'],
    ['DATABASE_POOL_SIZE', '', '0', '1001'],
    ['REDIS_URL', '', 'http://cache', 'cache'],
    ['SESSION_COOKIE', '', 'a b', 'a=b'],
    ['ROLLOUT_LIST', '', 'ON', `${BUYER},`],
    ['ROLLOUT_GET', '', 'some-buyer', 'true'],
    ['REQUEST_DEADLINE_MS', '', '0', '8001'],
    ['READ_RATE_LIMIT', '', '0', 'x'],
    ['READ_RATE_WINDOW_SECONDS', '', '0', '99999999999999999999'],
    ['FEED_MARGIN_MS', '', '-5', 'x'],
    ['SHUTDOWN_GRACE_MS', '', '0', 'x'],
    ['LOG_LEVEL', '', 'loud', 'INFO'],
    ['MCP', '', 'yes', '1'],
    ['PUBLIC_URL', '', 'https://a.example/', 'https://a.example/path', 'http://a.example'],
    ['AUTH_ISSUER', 'an https address', 'http://i.example', 'i.example', 'https://i.example/#part'],
    ['AUTH_AUDIENCE', 'one audience, or several', 'deal-sets,', ',', 'a,,b'],
    ['AUTH_JWKS_URL', 'an https address', 'http://127.evil.example/jwks', 'file:///etc/keys'],
    [
      'AUTH_JWKS_URL',
      'an https address',
      'http://localhost.evil.example/jwks',
      'https://user:secret@issuer.example/jwks',
    ],
  ])('refuses %s when it is wrong, without printing it', (name, expected, ...values) => {
    const lines = values.map((value) => linesOf({ ...RIGHT, [name]: value }));
    // One and the same line for different values.
    for (const found of lines) expect(found).toEqual(lines[0]);
    expect(lines[0]).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected ${expected}.+`)) as string,
    ]);
  });

  const OAUTH = 'https://issuer.example/oauth';
  const PUBLIC = { ...ISSUER, PUBLIC_URL: 'https://api.example' };
  const NOT_LOOPBACK = ['0.0.0.0', '::', '10.0.0.5', 'deal-sets.example', '::ffff:10.0.0.5'];
  const PRODUCTION = ['production', 'Production', 'prod', 'staging', 'Development'];

  /** What is expected, and the environments that lack it. */
  const CONFLICTS: readonly (readonly [expected: string, ...envs: NodeJS.ProcessEnv[]])[] = [
    ['AUTH_ISSUER: expected to be set', { ...ISSUER, AUTH_ISSUER: '' }],
    ['AUTH_AUDIENCE: expected to be set', { ...ISSUER, AUTH_AUDIENCE: '' }],
    ['AUTH_JWKS_URL: expected to be set', { ...ISSUER, AUTH_JWKS_URL: '' }],
    ['AUTH_AUTHORIZATION_URL: expected to be set', { AUTH_TOKEN_URL: OAUTH }],
    ['AUTH_TOKEN_URL: expected to be set', { AUTH_AUTHORIZATION_URL: OAUTH }],
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
      'AUTH_AUDIENCE: expected to hold PUBLIC_URL',
      { ...PUBLIC, MCP: 'on' },
      { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'https://api.example/' },
    ],
    ['MANAGEMENT_PORT: expected a port other than PORT', { PORT: '4000', MANAGEMENT_PORT: '4000' }],
  ];
  it.each(CONFLICTS.flatMap(([expected, ...envs]) => envs.map((env) => [expected, env] as const)))(
    'says %s for %j',
    (expected, env) => {
      expect(linesOf(env)).toEqual([expect.stringMatching(new RegExp(`^${expected}`))]);
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
    { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'deal-sets,https://api.example/mcp' },
  ])('accepts %j', (env) => expect(linesOf(env)).toEqual([]));

  it.each([
    ...PRODUCTION.map((mode) => [mode, true] as const),
    ...['', 'development', 'test'].map((mode) => [mode, false] as const),
  ])('takes NODE_ENV "%s" for production: %s', (mode, isProduction) => {
    const env = { NODE_ENV: mode, ...(isProduction ? ISSUER : {}) };
    expect(loadSettings(env).isProduction).toBe(isProduction);
  });

  it('reports all invalid settings at once, one line each', () => {
    const lines = linesOf({ PORT: 'x', LOG_LEVEL: 'y', AUTH_ISSUER: 'z' });
    expect(lines.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'PORT',
      'AUTH_AUDIENCE',
      'AUTH_JWKS_URL',
      'AUTH_ISSUER',
      'LOG_LEVEL',
    ]);
  });
});

describe('.env.example', () => {
  const text = readFileSync('.env.example', 'utf8');
  const listed = [...text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)];

  it('lists every setting the loader reads, and no other', () => {
    expect(listed.map(([, name]) => name).sort()).toEqual([...settingNames].sort());
  });

  it('shows the defaults', () => {
    expect(
      loadSettings(Object.fromEntries(listed.map(([, name = '', value]) => [name, value]))),
    ).toEqual(loadSettings({}));
  });
});
