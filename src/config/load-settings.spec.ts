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
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.database)).toBe(true);
    expect(Object.isFrozen(settings.rollout)).toBe(true);
  });

  it('takes an empty or blank value for unset', () => {
    const blank = Object.fromEntries(
      [...settingNames].map((name, index) => [name, index % 2 ? '' : '  ']),
    );
    expect(loadSettings(blank)).toEqual(loadSettings({}));
  });

  it.each([
    ['HOST', 'two words'],
    ['HOST', '-dash.example'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['MANAGEMENT_HOST', 'two words'],
    ['MANAGEMENT_PORT', 'yes'],
    ['DEVELOPMENT_ISSUER', 'yes'],
    ['DATABASE_URL', 'db.example'],
    ['DATABASE_URL', 'mysql://db/deal_sets'],
    ['DATABASE_NAMED_STATEMENTS', 'true'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_POOL_SIZE', '1001'],
    ['REDIS_URL', 'http://cache'],
    ['SESSION_COOKIE', 'a b'],
    ['SESSION_COOKIE', 'a=b'],
    ['ROLLOUT_LIST', 'ON'],
    ['ROLLOUT_LIST', `${BUYER},`],
    ['ROLLOUT_GET', 'some-buyer'],
    ['REQUEST_DEADLINE_MS', '0'],
    ['REQUEST_DEADLINE_MS', '8001'],
    ['READ_RATE_LIMIT', '0'],
    ['READ_RATE_WINDOW_SECONDS', '0'],
    ['READ_RATE_WINDOW_SECONDS', '99999999999999999999'],
    ['FEED_MARGIN_MS', '-5'],
    ['SHUTDOWN_GRACE_MS', '0'],
    ['LOG_LEVEL', 'loud'],
    ['MCP', 'yes'],
    ['PUBLIC_URL', 'https://api.example/'],
    ['PUBLIC_URL', 'https://api.example/path'],
    ['PUBLIC_URL', 'http://api.example'],
  ])('refuses %s when it is wrong, without printing it', (name, value) => {
    const lines = linesOf({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: expected .+`));
    expect(linesOf({ [name]: `not ${name} at all` })).toEqual(lines);
  });

  it.each([
    ['DATABASE_READER_URL', 'reader'],
    ['DATABASE_ASSISTANT_URL', 'assistant'],
    ['DATABASE_REPLICA_URL', 'r2'],
  ])('refuses %s when it is wrong, beside right others', (name, value) => {
    const right = {
      DATABASE_URL: 'postgres://db/x',
      DATABASE_READER_URL: 'postgres://r@db/x',
      DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
    };
    const lines = linesOf({ ...right, [name]: value });
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${name}: expected `))]);
  });

  it.each([
    ['AUTH_ISSUER', 'http://issuer.example'],
    ['AUTH_ISSUER', 'issuer.example'],
    ['AUTH_ISSUER', 'https://issuer.example/#part'],
    ['AUTH_JWKS_URL', 'http://127.evil.example/jwks'],
    ['AUTH_JWKS_URL', 'http://localhost.evil.example/jwks'],
    ['AUTH_JWKS_URL', 'https://user:secret@issuer.example/jwks'],
    ['AUTH_JWKS_URL', 'file:///etc/keys'],
  ])('refuses %s %s', (name, value) => {
    const lines = linesOf({ ...ISSUER, [name]: value });
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected an https address`)),
    ]);
  });

  it.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])(
    'accepts plain http on the loopback host %s',
    (url) => {
      expect(linesOf({ ...ISSUER, AUTH_ISSUER: url, AUTH_JWKS_URL: `${url}/jwks` })).toEqual([]);
    },
  );

  it.each(['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'])(
    'asks for %s beside the other two',
    (name) => {
      expect(linesOf({ ...ISSUER, [name]: '' })).toEqual([
        expect.stringContaining(`${name}: expected to be set`),
      ]);
    },
  );

  it('asks for both reading logins or none', () => {
    const env = { DATABASE_URL: 'postgres://db/x', DATABASE_READER_URL: 'postgres://r@db/x' };
    expect(linesOf(env)).toEqual([
      expect.stringContaining('DATABASE_ASSISTANT_URL: expected to be set'),
    ]);
  });

  it.each([
    ['AUTH_AUTHORIZATION_URL', 'AUTH_TOKEN_URL'],
    ['AUTH_TOKEN_URL', 'AUTH_AUTHORIZATION_URL'],
  ])('asks for %s beside %s', (missing, given) => {
    expect(linesOf({ [given]: 'https://issuer.example/oauth' })).toEqual([
      expect.stringContaining(`${missing}: expected to be set`),
    ]);
  });

  it('asks for the primary beside replicas', () => {
    expect(linesOf({ DATABASE_REPLICA_URL: 'postgres://r1/x' })).toEqual([
      expect.stringContaining('DATABASE_URL: expected to be set'),
    ]);
  });

  it.each(['production', 'Production', 'prod', 'staging', 'Development'])(
    'demands a real issuer when NODE_ENV is %s',
    (mode) => {
      const demanded = [expect.stringContaining('AUTH_ISSUER: expected to be set')];
      expect(linesOf({ NODE_ENV: mode })).toEqual(demanded);
      expect(linesOf({ NODE_ENV: mode, DEVELOPMENT_ISSUER: 'on' })).toEqual(demanded);
      expect(linesOf({ NODE_ENV: mode, ...ISSUER })).toEqual([]);
      expect(loadSettings({ NODE_ENV: mode, ...ISSUER }).isProduction).toBe(true);
    },
  );

  it.each(['', 'development', 'test'])(
    'allows the development issuer when NODE_ENV is "%s"',
    (mode) => {
      expect(linesOf({ NODE_ENV: mode })).toEqual([]);
      expect(loadSettings({ NODE_ENV: mode }).isProduction).toBe(false);
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.5', 'deal-sets.example', '::ffff:10.0.0.5'])(
    'allows the development issuer on HOST %s only with DEVELOPMENT_ISSUER=on',
    (host) => {
      expect(linesOf({ HOST: host })).toEqual([
        expect.stringMatching(/^AUTH_ISSUER: expected to be set.+DEVELOPMENT_ISSUER=on/),
      ]);
      expect(linesOf({ HOST: host, DEVELOPMENT_ISSUER: 'on' })).toEqual([]);
      expect(linesOf({ HOST: host, ...ISSUER })).toEqual([]);
    },
  );

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])(
    'allows the development issuer on the loopback HOST %s',
    (host) => expect(linesOf({ HOST: host })).toEqual([]),
  );

  it.each(['deal-sets,', ',', 'a,,b'])('refuses AUTH_AUDIENCE %j', (value) => {
    expect(linesOf({ ...ISSUER, AUTH_AUDIENCE: value })).toEqual([
      expect.stringMatching(/^AUTH_AUDIENCE: expected one audience, or several/),
    ]);
  });

  it.each([
    [{ HOST: '0.0.0.0', DEVELOPMENT_ISSUER: 'on' }, 'PUBLIC_URL'],
    [{ PORT: '0' }, 'PUBLIC_URL'],
    [{ ...ISSUER, PUBLIC_URL: 'https://api.example' }, 'AUTH_AUDIENCE'],
    [
      { ...ISSUER, PUBLIC_URL: 'https://api.example', AUTH_AUDIENCE: 'https://api.example/' },
      'AUTH_AUDIENCE',
    ],
  ])('asks with MCP=on and %j for %s', (env, name) => {
    expect(linesOf(env)).toEqual([]);
    expect(linesOf({ ...env, MCP: 'on' })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected to `)),
    ]);
  });

  it.each(['https://api.example', 'https://api.example/mcp'])(
    'takes %s as the audience of MCP',
    (audience) => {
      const env = { ...ISSUER, PUBLIC_URL: 'https://api.example', MCP: 'on' };
      expect(linesOf({ ...env, AUTH_AUDIENCE: `deal-sets,${audience}` })).toEqual([]);
    },
  );

  it('keeps the metrics off the public port', () => {
    expect(linesOf({ PORT: '4000', MANAGEMENT_PORT: '4000' })).toEqual([
      'MANAGEMENT_PORT: expected a port other than PORT',
    ]);
  });

  it('reports all invalid settings at once, one line each', () => {
    const lines = linesOf({ PORT: 'x', LOG_LEVEL: 'y', AUTH_ISSUER: 'z' });
    expect(lines.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'PORT',
      'AUTH_ISSUER',
      'LOG_LEVEL',
      'AUTH_AUDIENCE',
      'AUTH_JWKS_URL',
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
