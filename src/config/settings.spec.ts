import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from './environment-reader.js';
import { createSettings, type SettingsOptions } from './settings-options.js';
import { loadSettings } from './settings.js';

const BUYER = '0B7C8A1E-54D3-4F6B-9E0A-1C2D3E4F5A6B';
const ANNA = BUYER.toLowerCase();
const ISSUER = {
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'deal-sets',
  AUTH_JWKS_URL: 'https://issuer.example/jwks',
};

const OAUTH = 'https://issuer.example/oauth';

function linesOf(env: NodeJS.ProcessEnv): readonly string[] {
  return linesWhile(() => loadSettings(env));
}

/** The lines of the error that rejects the settings; none when they are accepted. */
function linesWhile(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

/**
 * Each setting: its variable, its path, its default, a text, and the parsed value where it differs
 * from the text.
 */
const SETTINGS: readonly (readonly [string, string, unknown, string, unknown?])[] = [
  ['NODE_ENV', 'isProduction', false, 'production', true],
  ['HOST', 'host', '127.0.0.1', '::'],
  ['PORT', 'port', 3000, '0', 0],
  ['PUBLIC_URL', 'publicUrl', 'http://127.0.0.1:3000', 'https://a.example'],
  ['MCP', 'hasMcp', false, 'on', true],
  [
    'CORS_ORIGINS',
    'corsOrigins',
    [],
    'https://a.example, http://localhost:5173',
    ['https://a.example', 'http://localhost:5173'],
  ],
  ['API_DOCS', 'hasApiDocs', true, 'off', false],
  ['API_CONTACT', 'apiContact.url', undefined, 'https://a.example/developers'],
  ['MANAGEMENT_HOST', 'managementHost', '127.0.0.1', '10.0.0.5'],
  ['MANAGEMENT_PORT', 'managementPort', undefined, '0', 0],
  ['DATABASE_URL', 'database.url', undefined, 'postgres://writer:secret@db/x'],
  ['DATABASE_READER_URL', 'database.readerUrl', undefined, 'postgres://reader@db/x'],
  ['DATABASE_ASSISTANT_URL', 'database.assistantUrl', undefined, 'postgresql://assistant@db/x'],
  ['DATABASE_REPLICA_URL', 'database.replicaUrl', undefined, 'postgres://r1/x'],
  ['DATABASE_NAMED_STATEMENTS', 'database.hasNamedStatements', true, 'off', false],
  ['DATABASE_POOL_SIZE', 'database.poolSize', 10, '4', 4],
  ['REDIS_URL', 'redisUrl', undefined, 'rediss://cache:6379'],
  ['AUTH_ISSUER', 'issuer.issuer', undefined, ISSUER.AUTH_ISSUER],
  [
    'AUTH_AUDIENCE',
    'issuer.audiences',
    undefined,
    'a, https://a.example',
    ['a', 'https://a.example'],
  ],
  ['AUTH_JWKS_URL', 'issuer.jwksUrl', undefined, ISSUER.AUTH_JWKS_URL],
  ['AUTH_AUTHORIZATION_URL', 'authorizationEndpoints.authorizationUrl', undefined, OAUTH],
  ['AUTH_TOKEN_URL', 'authorizationEndpoints.tokenUrl', undefined, OAUTH],
  ['DEVELOPMENT_ISSUER', 'isDevelopmentIssuerPublic', false, 'on', true],
  ['SESSION_COOKIE', 'sessionCookie', '__Host-session', 'sid'],
  ['ROLLOUT_LIST', 'rollout.list', 'on', 'off'],
  ['ROLLOUT_GET', 'rollout.get', 'on', `${BUYER}, ${ANNA}`, new Set([ANNA])],
  ['ROLLOUT_MCP', 'rollout.mcp', 'on', 'off'],
  ['REQUEST_DEADLINE_MS', 'requestDeadlineMs', 8000, '300', 300],
  ['READ_RATE_LIMIT', 'readRate.limit', 120, '5', 5],
  ['READ_RATE_WINDOW_SECONDS', 'readRate.windowSeconds', 60, '2', 2],
  ['FEED_MARGIN_MS', 'feedMarginMs', 1000, '0', 0],
  ['SHUTDOWN_DELAY_MS', 'shutdownDelayMs', 0, '5000', 5000],
  ['SHUTDOWN_GRACE_MS', 'shutdownGraceMs', 10_000, '500', 500],
  ['LOG_LEVEL', 'logLevel', 'info', 'debug'],
];

/** Files that hold a secret. The setting of a file with an address has the path of the address. */
const PASSWORD_FILES = [
  ['DATABASE_PASSWORD_FILE', 'database.passwordFile', 'DATABASE_URL'],
  ['DATABASE_READER_PASSWORD_FILE', 'database.readerPasswordFile', 'DATABASE_READER_URL'],
  ['DATABASE_ASSISTANT_PASSWORD_FILE', 'database.assistantPasswordFile', 'DATABASE_ASSISTANT_URL'],
  ['DATABASE_REPLICA_PASSWORD_FILE', 'database.replicaPasswordFile', 'DATABASE_REPLICA_URL'],
] as const;
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_READER_URL',
  'DATABASE_ASSISTANT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
];

/** The settings by their paths. */
function flat(settings: object): object {
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
    expect(flat(loadSettings({}))).toEqual(
      Object.fromEntries([
        ...SETTINGS.map(([, place, byDefault]) => [place, byDefault] as const),
        ...PASSWORD_FILES.map(([, place]) => [place, undefined] as const),
      ]),
    );
  });

  it('reads every setting', () => {
    const env = Object.fromEntries(SETTINGS.map(([variable, , , text]) => [variable, text]));
    expect(flat(loadSettings(env))).toMatchObject(
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

  /** Valid settings to which one wrong setting is added. */
  const RIGHT = {
    ...ISSUER,
    DATABASE_URL: 'postgres://db/x',
    DATABASE_READER_URL: 'postgres://r@db/x',
    DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
  };

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
    ['PUBLIC_URL', '', 'https://a.example/', 'https://a.example/path/', 'http://a.example'],
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
    const lines = values.map((value) => linesOf({ ...RIGHT, [name]: value }));
    // Every wrong value gives the same line.
    for (const found of lines) expect(found).toEqual(lines[0]);
    expect(lines[0]).toEqual([
      expect.stringMatching(new RegExp(`^${name}: expected ${expected}.+`)) as string,
    ]);
  });

  describe('secrets in files', () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'deal-sets-secrets-'));
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    function fileWith(text: string): string {
      const path = join(directory, 'secret');
      writeFileSync(path, text);
      return path;
    }

    const ADDRESSES = {
      ...RIGHT,
      DATABASE_REPLICA_URL: 'postgres://replica/x',
      REDIS_URL: 'redis://cache',
    };

    it.each(SECRETS)('reads %s from a file, without the line end', (name) => {
      const { [name]: url = '', ...others } = ADDRESSES as Record<string, string>;
      const env = { ...others, [`${name}_FILE`]: fileWith(`${url}\n`) };
      expect(loadSettings(env)).toEqual(loadSettings(ADDRESSES));
    });

    it.each(SECRETS)('rejects %s together with its file', (name) => {
      const path = fileWith('postgres://user:secret@db/x');
      expect(linesOf({ ...ADDRESSES, [`${name}_FILE`]: path })).toEqual([
        `${name}_FILE: expected to be unset, because ${name} is set`,
      ]);
    });

    it.each(SECRETS)('rejects a file of %s that cannot be read or holds something else', (name) => {
      const env = { ...ADDRESSES, [name]: '' };
      const paths = [join(directory, 'missing'), directory, fileWith('s3cret'), fileWith('')];
      const lines = paths.map((path) => linesOf({ ...env, [`${name}_FILE`]: path }));
      const unreadable = [`${name}_FILE: expected the path of a file that can be read`];
      const wrong = [
        expect.stringMatching(`^${name}_FILE: expected a file that contains an address`),
      ];
      expect(lines).toEqual([unreadable, unreadable, wrong, wrong]);
    });

    it('accepts the paths of password files', () => {
      const path = fileWith('secret');
      const { database } = loadSettings({
        DATABASE_URL: 'postgres://db/x',
        DATABASE_PASSWORD_FILE: path,
      });
      expect(database.passwordFile).toBe(path);
    });

    it.each(PASSWORD_FILES)(
      'rejects %s with a password in the address, or without one',
      (file, _place, url) => {
        const path = fileWith('secret');
        const env: NodeJS.ProcessEnv =
          file === 'DATABASE_REPLICA_PASSWORD_FILE'
            ? { DATABASE_URL: 'postgres://db/x' }
            : { ...RIGHT };
        const inAddress = { ...env, [url]: 'postgres://user:s3cret@db/x', [file]: path };
        expect(linesOf(inAddress)).toEqual([
          `${url}: expected an address without a password, because ${file} contains it`,
        ]);
        expect(linesOf({ ...env, [url]: '', [file]: path })).toContain(
          `${url}: expected to be set, because ${file} contains the password for it`,
        );
      },
    );

    it('rejects a password of the replica beside the logins that read', () => {
      const env = { ...ADDRESSES, DATABASE_REPLICA_PASSWORD_FILE: fileWith('secret') };
      expect(linesOf(env)).toEqual([
        expect.stringMatching('^DATABASE_REPLICA_PASSWORD_FILE: expected to be unset'),
      ]);
    });
  });

  const PUBLIC = { ...ISSUER, PUBLIC_URL: 'https://api.example' };
  const NOT_LOOPBACK = ['0.0.0.0', '::', '10.0.0.5', 'deal-sets.example', '::ffff:10.0.0.5'];
  const PRODUCTION = ['production', 'Production', 'prod', 'staging', 'Development'];

  /** The expected lines, and the environments that cause them. */
  const CONFLICTS: readonly (readonly [expected: string, ...envs: NodeJS.ProcessEnv[]])[] = [
    ['AUTH_ISSUER: expected to be set', { ...ISSUER, AUTH_ISSUER: '' }],
    ['AUTH_AUDIENCE: expected to be set', { ...ISSUER, AUTH_AUDIENCE: '' }],
    ['AUTH_AUDIENCE: expected to be set', { ...ISSUER, AUTH_AUDIENCE: '', AUTH_JWKS_URL: '' }],
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
      'AUTH_AUDIENCE: expected to contain PUBLIC_URL',
      { ...PUBLIC, MCP: 'on' },
      { ...PUBLIC, MCP: 'on', AUTH_AUDIENCE: 'https://api.example/' },
    ],
    ['MANAGEMENT_PORT: expected a port other than PORT', { PORT: '4000', MANAGEMENT_PORT: '4000' }],
  ];
  it.each(CONFLICTS.flatMap(([expected, ...envs]) => envs.map((env) => [expected, env] as const)))(
    'reports %s for %j',
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
    const lines = linesOf({ PORT: 'x', LOG_LEVEL: 'y', AUTH_ISSUER: 'z' });
    expect(lines.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'PORT',
      'AUTH_ISSUER',
      'AUTH_AUDIENCE',
      'LOG_LEVEL',
    ]);
  });
});

describe('loadSettings with a prefix', () => {
  const prefix = 'DEAL_SETS_';
  const OF_THE_HOST = {
    LOG_LEVEL: 'silly',
    PORT: 'http',
    DATABASE_URL: 'mysql://shop',
    ROLLOUT_CHECKOUT: '25%',
    ROLLOUT_LIST: 'off',
  };

  it('reads the variables with the prefix, and none of the host application', () => {
    const env = Object.fromEntries(
      SETTINGS.filter(([name]) => name !== 'NODE_ENV').map(([name, , , text]) => [name, text]),
    );
    const prefixed = Object.fromEntries(
      Object.entries(env).map(([name, text]) => [prefix + name, text]),
    );
    expect(loadSettings({ ...OF_THE_HOST, ...prefixed }, { prefix })).toEqual(loadSettings(env));
    expect(loadSettings(OF_THE_HOST, { prefix })).toEqual(loadSettings({}));
  });

  it('names variables as they are in the environment', () => {
    const env = {
      DEAL_SETS_PORT: 'x',
      DEAL_SETS_AUTH_ISSUER: ISSUER.AUTH_ISSUER,
      DEAL_SETS_ROLLOUT_Notes: 'on',
    };
    expect(linesWhile(() => loadSettings(env, { prefix }))).toEqual([
      'DEAL_SETS_PORT: expected a whole number from 0 to 65535',
      'DEAL_SETS_AUTH_AUDIENCE: expected to be set, because DEAL_SETS_AUTH_ISSUER, DEAL_SETS_AUTH_AUDIENCE go together: all or none',
      'DEAL_SETS_ROLLOUT_Notes: expected DEAL_SETS_ROLLOUT_NOTES',
    ]);
  });

  it('derives production from NODE_ENV, which describes the process', () => {
    const env = { NODE_ENV: 'production', DEAL_SETS_NODE_ENV: 'development' };
    expect(linesWhile(() => loadSettings(env, { prefix }))).toEqual([
      'DEAL_SETS_AUTH_ISSUER: expected to be set, with DEAL_SETS_AUTH_AUDIENCE, unless NODE_ENV is unset, development or test',
    ]);
  });
});

describe('createSettings', () => {
  /** Builds an object with only the value at a path. */
  const optionAt = (place: string, value: unknown): SettingsOptions => {
    const [group = '', name] = place.split('.');
    return name === undefined ? { [group]: value } : { [group]: { [name]: value } };
  };
  /** All options, with the values of the table above. */
  const EVERY_OPTION = SETTINGS.reduce<SettingsOptions>(
    (options, [, place, , text, value = text]) => {
      const [group = ''] = place.split('.');
      const option: Readonly<Record<string, unknown>> = { ...optionAt(place, value) };
      const others = (options as Readonly<Record<string, unknown>>)[group];
      const merged = place.includes('.')
        ? { ...(others as object | undefined), ...(option[group] as object) }
        : option[group];
      return { ...options, [group]: merged };
    },
    {},
  );

  it('accepts every setting as a typed option', () => {
    const env = Object.fromEntries(SETTINGS.map(([variable, , , text]) => [variable, text]));
    expect(createSettings(EVERY_OPTION)).toEqual(loadSettings(env));
  });

  it('uses the defaults of the variables for options that are left out or undefined', () => {
    const undefinedOptions = {
      database: { url: undefined },
      issuer: undefined,
      redisUrl: undefined,
    };
    for (const options of [{}, undefinedOptions]) {
      expect(createSettings({ ...options, isProduction: false })).toEqual(loadSettings({}));
    }
  });

  it('counts as production, which needs an issuer, unless an option states otherwise', () => {
    expect(linesWhile(() => createSettings({}))).toEqual([
      'issuer.issuer: expected to be set, with issuer.audiences, unless isProduction is false',
    ]);
  });

  it('turns off an endpoint whose rollout names no buyer', () => {
    const { rollout } = createSettings({ isProduction: false, rollout: { list: new Set() } });
    expect(rollout).toMatchObject({ list: 'off', get: 'on' });
  });

  it.each<[line: string, options: object]>([
    ['databse: expected an option of the settings', { databse: {} }],
    ['database.uri: expected an option of the settings', { database: { uri: 'postgres://db/x' } }],
    ['database.url: expected an address like', { database: { url: 'mysql://db' } }],
    ['database.poolSize: expected a whole number from 1 to 1000', { database: { poolSize: 0.5 } }],
    ['requestDeadlineMs: expected a whole number from 1 to 8000', { requestDeadlineMs: NaN }],
    ['rollout.list: expected on, off, or buyer ids', { rollout: { list: 'ON' } }],
    [
      'issuer.audiences: expected to be set',
      { issuer: { issuer: ISSUER.AUTH_ISSUER, audiences: [] } },
    ],
    [
      'issuer.audiences: expected a list of texts without commas',
      { issuer: { issuer: ISSUER.AUTH_ISSUER, audiences: ['a,b'] } },
    ],
    [
      'database.assistantUrl: expected to be set',
      { database: { url: 'postgres://db/x', readerUrl: 'postgres://r@db/x' } },
    ],
  ])('rejects an option and names its path: %s', (line, options) => {
    const lines = linesWhile(() => createSettings({ isProduction: false, ...options }));
    expect(lines).toEqual([expect.stringMatching(`^${line}`)]);
  });
});

describe('.env.example', () => {
  const text = readFileSync('.env.example', 'utf8');
  const listed = [...text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)];

  it('lists every setting the loader reads, and no other', () => {
    const read = new Set<unknown>();
    loadSettings(new Proxy({}, { get: (_env, name) => void read.add(name) }));
    expect(new Set(listed.map(([, name]) => name))).toEqual(read);
  });

  it('shows the defaults', () => {
    expect(
      loadSettings(Object.fromEntries(listed.map(([, name = '', value]) => [name, value]))),
    ).toEqual(loadSettings({}));
  });
});
