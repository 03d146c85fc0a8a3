import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowsOf, SettingsError } from './check-settings.js';
import {
  loadServiceSettings,
  serviceSettingsFromOptions,
  type ServerOptions,
} from './service-settings.js';
import { SERVER_SETTINGS, SETTINGS } from './settings-table.js';
import { loadSettings, settingsFromOptions, type SettingsOptions } from './settings.js';

const BUYER = '0B7C8A1E-54D3-4F6B-9E0A-1C2D3E4F5A6B';
const ANNA = BUYER.toLowerCase();
const ENDPOINT = 'https://issuer.example/oauth';
const directory = mkdtempSync(join(tmpdir(), 'deal-sets-settings-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(text: string): string {
  const path = join(directory, String(text.length));
  writeFileSync(path, text);
  return path;
}

const PASSWORD = fileWith('secret');
const REDIS = fileWith('redis://cache');

/** An example of a setting. */
interface Example {
  /** A valid text of its variable. */
  readonly text: string;
  /** The value of that text, if it differs, which is also a valid typed option. */
  readonly value?: unknown;
  readonly wrongTexts: readonly string[];
  readonly wrongOptions: readonly unknown[];
}

const address = (text: string): Example => ({
  text,
  wrongTexts: [
    'db.example',
    'mysql://db/x',
    'postgres:user:s3cret@host/db',
    's3cret',
    'postgres://app:s3cret%zz@host/db',
  ],
  wrongOptions: ['', 's3cret', 5, null],
});
const redisAddress = {
  text: 'rediss://cache:6379',
  wrongTexts: ['http://cache', 'cache'],
  wrongOptions: ['', 'cache'],
};
const passwordFile: Example = {
  text: PASSWORD,
  wrongTexts: [directory, join(directory, 'missing')],
  wrongOptions: ['', directory, 1],
};
const bool = (text: string, value: boolean): Example => ({
  text,
  value,
  wrongTexts: ['yes', 'ON', 'toString', '10'],
  wrongOptions: ['yes', 1, null],
});
const number = (value: number, ...wrong: readonly number[]): Example => ({
  text: String(value),
  value,
  wrongTexts: ['x', '-1', '0x50', '1e3', '5s', '99999999999999999999', ...wrong.map(String)],
  wrongOptions: ['x', NaN, 0.5, -1, ...wrong],
});
const webAddress = (text: string): Example => ({
  text,
  wrongTexts: [
    'http://i.example',
    'i.example',
    'https://i.example/#part',
    'http://127.evil.example/',
    'http://localhost.evil.example/',
    'https://user:secret@i.example/',
    'file:///etc/keys',
  ],
  wrongOptions: ['', 'i.example', null],
});
const claimOf = (text: string): Example => ({
  text,
  wrongTexts: ['two words', 'käufer'],
  wrongOptions: ['', 'two words', ['azp'], null],
});
const host = (text: string): Example => ({
  text,
  wrongTexts: ['two words', '-dash.example'],
  wrongOptions: ['', 'two words', 1],
});
const flag = (text: string, value: unknown = text): Example => ({
  text,
  value,
  wrongTexts: ['ON', 'true', 'some-buyer', `${BUYER},`],
  wrongOptions: ['ON', '', true, [BUYER], new Set(['some-buyer'])],
});

/** An example of every row. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  'settings.isProduction': {
    text: 'production',
    value: true,
    wrongTexts: [],
    wrongOptions: [1],
  },
  'settings.publicUrl': {
    text: 'https://a.example/v2/deal-sets',
    wrongTexts: [
      'https://a.example//',
      'https://a.example/path/',
      'http://a.example',
      'https://a.example/a/../b',
      'https://a.example/a//b',
      'https://a.example/a?b',
    ],
    wrongOptions: ['', 'a.example'],
  },
  'settings.hasMcp': bool('on', true),
  'settings.corsOrigins': {
    text: 'https://a.example, http://localhost:5173, https://a.example, capacitor://localhost, chrome-extension://abcdefghijklmnop',
    value: [
      'https://a.example',
      'http://localhost:5173',
      'capacitor://localhost',
      'chrome-extension://abcdefghijklmnop',
    ],
    wrongTexts: [
      '*',
      'null',
      'https://a.example/',
      'https://a.example,',
      'https://*.example',
      'http://a.example',
      'HTTP://a.example',
      'capacitor://localhost/',
      'chrome-extension://*',
      'file://',
    ],
    wrongOptions: ['*', ['*'], [''], 1],
  },
  'settings.database.url': address('postgres://writer:word@db/x'),
  'settings.database.readerUrl': address('postgres://reader@db/x'),
  'settings.database.assistantUrl': address('postgresql://assistant@db/x'),
  'settings.database.replicaUrl': address('postgres://r1/x'),
  'settings.database.passwordFile': passwordFile,
  'settings.database.readerPasswordFile': passwordFile,
  'settings.database.assistantPasswordFile': passwordFile,
  'settings.database.replicaPasswordFile': passwordFile,
  'settings.database.hasNamedStatements': bool('off', false),
  'settings.database.poolSize': number(4, 0, 1_001),
  'settings.redisUrl': redisAddress,
  'settings.redisUrlFile': { ...passwordFile, text: REDIS },
  'settings.issuer.issuer': webAddress('https://issuer.example'),
  'settings.issuer.audiences': {
    text: 'a, https://a.example, a',
    value: ['a', 'https://a.example'],
    wrongTexts: ['deal-sets,', ',', 'a,,b'],
    wrongOptions: ['', [], [''], 1],
  },
  'settings.issuer.jwksUrl': webAddress('https://issuer.example/jwks'),
  'settings.issuer.tokenType': {
    text: 'any',
    wrongTexts: ['JWT', 'AT+JWT'],
    wrongOptions: ['', 'JWT', true],
  },
  'settings.issuer.clientClaim': claimOf('azp'),
  'settings.issuer.scopeClaim': claimOf('scp'),
  'settings.issuer.buyerClaim': claimOf('https://acme.example/buyer_id'),
  'settings.authorizationEndpoints.authorizationUrl': webAddress(ENDPOINT),
  'settings.authorizationEndpoints.tokenUrl': webAddress(ENDPOINT),
  'settings.sessionCookie': {
    text: 'sid',
    wrongTexts: ['a b', 'a=b'],
    wrongOptions: ['', 'a b'],
  },
  'settings.rollout.list': flag('off'),
  'settings.rollout.get': flag(`${BUYER}, ${ANNA}`, new Set([ANNA])),
  'settings.rollout.mcp': flag('off'),
  'settings.rollout.<flag>': flag('on'),
  'settings.requestDeadlineMs': number(300, 0, 8_001),
  'settings.readRate.limit': number(5, 0),
  'settings.readRate.windowSeconds': number(2, 0),
  'settings.feedMarginMs': number(0),
  'server.host': host('::1'),
  'server.port': number(0, 65_536),
  'server.hasApiDocs': bool('0', false),
  'server.apiContact': {
    text: 'https://a.example/developers',
    value: { url: 'https://a.example/developers' },
    wrongTexts: ['a team', 'http://a.example', 'a@b@c.example'],
    wrongOptions: ['a team', { url: '' }, { email: 'a' }, { url: 'https://a.example', x: 1 }, {}],
  },
  'server.managementHost': host('10.0.0.5'),
  'server.managementPort': number(0, 65_536),
  'server.isDevelopmentIssuerPublic': bool('1', true),
  'server.shutdownDelayMs': number(5_000),
  'server.shutdownGraceMs': number(500, 0),
  'server.logLevel': {
    text: 'debug',
    wrongTexts: ['loud', 'INFO'],
    wrongOptions: ['', 'loud', 3],
  },
};
const ROWS = [...rowsOf(SETTINGS, ['settings']), ...rowsOf(SERVER_SETTINGS, ['server'])].map(
  ({ path, variable, byDefault }) => {
    const example = EXAMPLES[path];
    if (!example) throw new Error(`${path} has no example`);
    const name = path.replace('<flag>', 'notes');
    return {
      path: name,
      variable: variable.replace('<FLAG>', 'NOTES'),
      byDefault,
      value: example.text,
      ...example,
    };
  },
);

/** Settings that other settings need beside them. */
const NEEDED: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  MCP: { PUBLIC_URL: 'https://a.example' },
  HOST: { HOST: '127.0.0.1' },
  NODE_ENV: { AUTH_ISSUER: 'https://issuer.example', AUTH_AUDIENCE: 'deal-sets' },
  DATABASE_READER_URL: { DATABASE_ASSISTANT_URL: 'postgres://a@db/x' },
  DATABASE_ASSISTANT_URL: { DATABASE_READER_URL: 'postgres://r@db/x' },
  DATABASE_REPLICA_URL: { DATABASE_URL: 'postgres://db/x' },
  DATABASE_PASSWORD_FILE: { DATABASE_URL: 'postgres://db/x' },
  DATABASE_READER_PASSWORD_FILE: {
    DATABASE_READER_URL: 'postgres://r@db/x',
    DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
  },
  DATABASE_ASSISTANT_PASSWORD_FILE: {
    DATABASE_READER_URL: 'postgres://r@db/x',
    DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
  },
  DATABASE_REPLICA_PASSWORD_FILE: {
    DATABASE_URL: 'postgres://db/x',
    DATABASE_REPLICA_URL: 'postgres://r1/x',
  },
  AUTH_ISSUER: { AUTH_AUDIENCE: 'deal-sets' },
  AUTH_AUDIENCE: { AUTH_ISSUER: 'https://issuer.example' },
  ...Object.fromEntries(
    [
      'AUTH_JWKS_URL',
      'AUTH_TOKEN_TYPE',
      'AUTH_CLIENT_CLAIM',
      'AUTH_SCOPE_CLAIM',
      'AUTH_BUYER_CLAIM',
    ].map((name) => [name, { AUTH_ISSUER: 'https://issuer.example', AUTH_AUDIENCE: 'deal-sets' }]),
  ),
  AUTH_AUTHORIZATION_URL: { AUTH_TOKEN_URL: ENDPOINT },
  AUTH_TOKEN_URL: { AUTH_AUTHORIZATION_URL: ENDPOINT },
};

interface ServiceOptions {
  readonly settings?: SettingsOptions;
  readonly server?: ServerOptions;
}

/** Returns the value at a path such as `settings.database.url`. */
function valueAt(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], values);
}

/** Returns options with only the value at a path. */
function optionAt(path: string, value: unknown): ServiceOptions {
  const [first = '', ...rest] = path.split('.');
  return { [first]: rest.length === 0 ? value : optionAt(rest.join('.'), value) };
}

/** Returns the lines of the error that `load` throws; none when it accepts the settings. */
function errorLinesOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}
const errorLinesFor = (env: NodeJS.ProcessEnv) => errorLinesOf(() => loadServiceSettings(env));
const errorLinesForOptions = ({ settings, server }: ServiceOptions) =>
  errorLinesOf(() =>
    serviceSettingsFromOptions(
      { ...settings, isProduction: settings?.isProduction ?? false },
      server,
    ),
  );

describe.each(ROWS)('the setting $variable', (row) => {
  const { variable, path, byDefault, text, value, wrongTexts, wrongOptions } = row;
  const needed = NEEDED[variable] ?? {};

  it('has its default', () => {
    // Only an issuer has the defaults of its tokens.
    const defaults = loadServiceSettings(byDefault === undefined ? {} : needed);
    const standalone = { 'settings.publicUrl': 'http://127.0.0.1:3000' };
    expect(valueAt(defaults, path)).toEqual(
      path in standalone ? standalone['settings.publicUrl'] : byDefault,
    );
  });

  it('is read from its variable', () => {
    const loaded = loadServiceSettings({ ...needed, [variable]: ` ${text}` });
    // The address in the file takes the place of the path.
    if (variable === 'REDIS_URL_FILE') expect(loaded.settings.redisUrl).toBe('redis://cache');
    else expect(valueAt(loaded, path)).toEqual(value);
  });

  it('is a typed option with the same check', () => {
    const loaded = loadServiceSettings({ NODE_ENV: 'test', ...needed, [variable]: text });
    const { settings, server } = serviceSettingsFromOptions(loaded.settings, loaded.server);
    expect({ settings, server }).toEqual(loaded);
  });

  it('counts as unset if its variable is empty', () => {
    expect(loadServiceSettings({ [variable]: '  ' })).toEqual(loadServiceSettings({}));
  });

  it('rejects every wrong text and wrong option with the same sentence, so without its value', () => {
    const ofTexts = wrongTexts.map((wrong) => errorLinesFor({ ...needed, [variable]: wrong }));
    const ofOptions = wrongOptions.map((wrong) => errorLinesForOptions(optionAt(path, wrong)));
    const sentences = [
      ...ofTexts.map((lines) => {
        expect(lines).toEqual([expect.stringContaining(`${variable}: expected `)]);
        return lines[0]!.slice(variable.length);
      }),
      ...ofOptions.map((lines) => {
        const ofSetting = lines.filter((line) => line.startsWith(`${path}: expected `));
        // A group with one setting may lack another one.
        expect(ofSetting).toHaveLength(1);
        return ofSetting[0]!.slice(path.length);
      }),
    ];
    expect(new Set(sentences).size).toBe(1);
  });
});

const ISSUER = { AUTH_ISSUER: 'https://issuer.example', AUTH_AUDIENCE: 'deal-sets' };
const PUBLIC = { ...ISSUER, PUBLIC_URL: 'https://api.example' };
const NOT_LOOPBACK = ['0.0.0.0', '::', '10.0.0.5', 'deal-sets.example', '::ffff:10.0.0.5'];
const PRODUCTION = ['production', 'Production', 'prod', 'staging', 'Development'];

it.each(['PUBLIC_URL', 'AUTH_AUDIENCE'])(
  '%s has the form without the slash of an origin',
  (name) => {
    const settings = loadSettings({ ...PUBLIC, [name]: 'https://api.example/' });
    expect([settings.publicUrl, settings.issuer?.audiences]).toEqual([
      'https://api.example',
      name === 'AUTH_AUDIENCE' ? ['https://api.example'] : [ISSUER.AUTH_AUDIENCE],
    ]);
  },
);

describe('settings that contradict each other', () => {
  /** The expected line, and the environments that cause it. */
  const CONFLICTS: readonly (readonly [expected: string, ...envs: NodeJS.ProcessEnv[]])[] = [
    ['AUTH_ISSUER: expected to be set', { AUTH_AUDIENCE: 'deal-sets' }],
    [
      'AUTH_AUDIENCE: expected to be set, because AUTH_ISSUER, AUTH_AUDIENCE go together',
      { AUTH_ISSUER: 'https://issuer.example' },
      { AUTH_ISSUER: 'https://issuer.example', AUTH_JWKS_URL: 'https://issuer.example/jwks' },
    ],
    ['AUTH_AUTHORIZATION_URL: expected to be set', { AUTH_TOKEN_URL: ENDPOINT }],
    ['AUTH_TOKEN_URL: expected to be set', { AUTH_AUTHORIZATION_URL: ENDPOINT }],
    [
      'DATABASE_ASSISTANT_URL: expected to be set',
      { DATABASE_URL: 'postgres://db/x', DATABASE_READER_URL: 'postgres://r@db/x' },
    ],
    ['DATABASE_URL: expected to be set', { DATABASE_REPLICA_URL: 'postgres://r1/x' }],
    [
      'DATABASE_URL: expected an address without a password, because DATABASE_PASSWORD_FILE',
      { DATABASE_URL: 'postgres://user:s3cret@db/x', DATABASE_PASSWORD_FILE: PASSWORD },
    ],
    [
      'DATABASE_REPLICA_URL: expected to be set, because DATABASE_REPLICA_PASSWORD_FILE',
      { DATABASE_URL: 'postgres://db/x', DATABASE_REPLICA_PASSWORD_FILE: PASSWORD },
    ],
    [
      'DATABASE_REPLICA_PASSWORD_FILE: expected to be unset, because DATABASE_READER_URL and',
      {
        DATABASE_READER_URL: 'postgres://r@db/x',
        DATABASE_ASSISTANT_URL: 'postgres://a@db/x',
        DATABASE_REPLICA_URL: 'postgres://r1/x',
        DATABASE_REPLICA_PASSWORD_FILE: PASSWORD,
      },
    ],
    [
      'REDIS_URL_FILE: expected to be unset, because REDIS_URL is set',
      { REDIS_URL: 'redis://cache', REDIS_URL_FILE: REDIS },
    ],
    [
      'REDIS_URL_FILE: expected a file that contains an address like redis:',
      { REDIS_URL_FILE: PASSWORD },
    ],
    [
      'AUTH_ISSUER: expected to be set.+DEVELOPMENT_ISSUER to be on',
      ...NOT_LOOPBACK.map((name) => ({ HOST: name })),
    ],
    [
      'PUBLIC_URL: expected to be set, because MCP is on',
      { HOST: '0.0.0.0', DEVELOPMENT_ISSUER: 'on', MCP: 'on' },
      { PORT: '0', MCP: 'on' },
    ],
    ['MANAGEMENT_PORT: expected a port other than PORT', { PORT: '4000', MANAGEMENT_PORT: '4000' }],
  ];
  it.each(CONFLICTS.flatMap(([expected, ...envs]) => envs.map((env) => [expected, env] as const)))(
    'cause the line %s for %j',
    (expected, env) => {
      expect(errorLinesFor(env)).toEqual([expect.stringMatching(new RegExp(`^${expected}`))]);
    },
  );

  const LOOPBACK_URLS = ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'];
  it.each<NodeJS.ProcessEnv>([
    ...LOOPBACK_URLS.map((url) => ({ ...ISSUER, AUTH_ISSUER: url, AUTH_JWKS_URL: `${url}/jwks` })),
    ...NOT_LOOPBACK.map((name) => ({ HOST: name, DEVELOPMENT_ISSUER: 'on' })),
    ...NOT_LOOPBACK.map((name) => ({ HOST: name, ...ISSUER })),
    ...['127.0.0.1', '127.1.2.3', '::1', 'localhost'].map((name) => ({ HOST: name })),
    { PORT: '0', MANAGEMENT_PORT: '0' },
    PUBLIC,
    { ...PUBLIC, MCP: 'on' },
  ])('are none of %j', (env) => expect(errorLinesFor(env)).toEqual([]));
});

describe('loadSettings', () => {
  it.each([
    ...PRODUCTION.map((mode) => [mode, true] as const),
    ...['', 'development', 'test'].map((mode) => [mode, false] as const),
  ])('treats NODE_ENV "%s" as production: %s', (mode, isProduction) => {
    expect(loadSettings({ NODE_ENV: mode }).isProduction).toBe(isProduction);
  });

  it('reports all wrong settings at once, one line each', () => {
    const env = { PORT: 'x', LOG_LEVEL: 'y', AUTH_ISSUER: 'z', MCP: 'on' };
    expect(errorLinesFor(env).map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'AUTH_ISSUER',
      'AUTH_AUDIENCE',
      'PORT',
      'LOG_LEVEL',
    ]);
  });

  it('is deeply frozen', () => {
    const { settings, server } = loadServiceSettings(ISSUER);
    const { database, rollout, issuer, corsOrigins } = settings;
    for (const value of [settings, server, database, rollout, issuer, corsOrigins]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
  });

  it.each([
    ['log', 'info'],
    ['verbose', 'trace'],
  ])('maps the level %s of Nest to %s', (level, expected) => {
    expect(loadServiceSettings({ LOG_LEVEL: level }).server.logLevel).toBe(expected);
  });

  const prefix = 'DEAL_SETS_';

  it('reads only variables with the prefix, and NODE_ENV, which describes the process', () => {
    const host = {
      NODE_ENV: 'production',
      DATABASE_URL: 'mysql://shop',
      ROLLOUT_CHECKOUT: '25%',
      ROLLOUT_LIST: 'off',
    };
    const own = { ...ISSUER, DATABASE_URL: 'postgres://db/x', ROLLOUT_NOTES: 'on' };
    const prefixed = Object.fromEntries(
      Object.entries(own).map(([name, text]) => [prefix + name, text]),
    );
    const env = { ...host, ...prefixed, DEAL_SETS_NODE_ENV: 'development' };
    expect(loadSettings(env, { prefix })).toEqual(loadSettings({ ...own, NODE_ENV: 'production' }));
  });

  it('names variables with their prefix', () => {
    const env = {
      NODE_ENV: 'production',
      DEAL_SETS_ROLLOUT_NOTES: '25%',
      DEAL_SETS_MCP: 'maybe',
      DEAL_SETS_AUTH_AUDIENCE: 'x',
    };
    expect(errorLinesOf(() => loadSettings(env, { prefix }))).toEqual([
      'DEAL_SETS_MCP: expected on or off (or true, false, 1, 0)',
      'DEAL_SETS_AUTH_ISSUER: expected to be set, because DEAL_SETS_AUTH_ISSUER, DEAL_SETS_AUTH_AUDIENCE go together: all or none',
      'DEAL_SETS_ROLLOUT_NOTES: expected on, off, or buyer ids (UUIDs) separated by commas (as an option: a Set)',
    ]);
  });
});

describe('typed options', () => {
  it('have the defaults of the variables, except that they count as production', () => {
    expect(settingsFromOptions({ isProduction: false })).toEqual(loadSettings({}));
    expect(settingsFromOptions({}).isProduction).toBe(true);
  });

  it('accept what loadSettings returned', () => {
    const loaded = loadSettings({ ...PUBLIC, REDIS_URL_FILE: REDIS, ROLLOUT_GET: BUYER });
    expect(settingsFromOptions(loaded)).toEqual(loaded);
  });

  it('accept lists and flags that a variable could not contain', () => {
    const { issuer, rollout } = settingsFromOptions({
      issuer: { issuer: 'https://issuer.example', audiences: ['a,b'] },
      rollout: { list: new Set(), 'My-Flag': 'on' },
    });
    expect(issuer?.audiences).toEqual(['a,b']);
    expect(rollout).toEqual({ list: new Set(), get: 'on', mcp: 'on', 'My-Flag': 'on' });
  });

  it.each<[line: string, options: object]>([
    ['settings.databse: expected an option of the settings', { databse: {} }],
    ['settings.port: expected an option of the settings', { port: 80 }],
    ['settings.database.uri: expected an option of the settings', { database: { uri: 'x' } }],
    ['settings.database: expected an object with settings', { database: 'postgres://db/x' }],
    [
      'settings.database.assistantUrl: expected to be set, because the logins of both pools',
      { database: { url: 'postgres://db/x', readerUrl: 'postgres://r@db/x' } },
    ],
    ['settings.publicUrl: expected to be set, because settings.hasMcp is on', { hasMcp: true }],
  ])('are rejected with their path: %s', (line, options) => {
    const lines = errorLinesOf(() =>
      settingsFromOptions({ isProduction: false, ...(options as SettingsOptions) }),
    );
    expect(lines).toEqual([expect.stringMatching(`^${line}`)]);
  });
});
