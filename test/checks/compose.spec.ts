import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const PROJECT = path.resolve(__dirname, '../..');

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string | null>>;
        readonly secrets?: readonly string[];
      }
    >
  >;
}

const compose = parse(readFileSync(path.join(PROJECT, 'deploy/compose.yaml'), 'utf8'), {
  merge: true,
}) as Compose;
const settings = Array.from(
  readFileSync(path.join(PROJECT, '.env.example'), 'utf8').matchAll(/^([A-Z_]+)=/gm),
  ([, name]) => name!,
);

/**
 * What the image sets, what only the contract's tests change, and files that compose does not need.
 */
const isLeftOut = (name: string): boolean =>
  ['HOST', 'PORT', 'NODE_ENV', 'REQUEST_DEADLINE_MS', 'DATABASE_NAMED_STATEMENTS'].includes(name) ||
  name.startsWith('READ_RATE_') ||
  ['DATABASE_REPLICA_PASSWORD_FILE', 'REDIS_URL_FILE'].includes(name);
const ISSUER = [
  ...['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL', 'AUTH_TOKEN_TYPE'],
  ...['AUTH_CLIENT_CLAIM', 'AUTH_SCOPE_CLAIM', 'AUTH_BUYER_CLAIM'],
];

describe('deploy/compose.yaml', () => {
  it.each([
    ['api', ['DEVELOPMENT_ISSUER']],
    ['trial', ISSUER],
  ])('passes the settings of .env.example to the service %s', (service, others) => {
    const passed = Object.keys(compose.services[service]!.environment!);
    const wanted = settings.filter((name) => !isLeftOut(name) && !others.includes(name));
    expect(wanted.filter((name) => !passed.includes(name))).toEqual([]);
    expect(passed.filter((name) => !settings.includes(name))).toEqual([]);
  });

  it('passes every password as a file, and mounts the files that it names', () => {
    for (const { environment = {}, secrets = [] } of Object.values(compose.services)) {
      const passwords = Object.entries(environment).filter(([name]) => name.includes('PASSWORD'));
      for (const [name, file] of passwords) {
        expect(name).toMatch(/_FILE$/);
        expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(file);
      }
      const addresses = Object.values(environment).filter((value) =>
        value?.startsWith('postgres:'),
      );
      for (const address of addresses) expect(new URL(address!).password).toBe('');
    }
  });
});
