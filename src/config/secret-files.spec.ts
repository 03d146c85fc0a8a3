import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  errorLinesFor,
  PASSWORD_FILES,
  VALID_SETTINGS,
} from '../../test/settings/settings-table.js';
import { loadSettings } from './settings.js';

const SECRETS = [
  'DATABASE_URL',
  'DATABASE_READER_URL',
  'DATABASE_ASSISTANT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
];

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
    ...VALID_SETTINGS,
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
    expect(errorLinesFor({ ...ADDRESSES, [`${name}_FILE`]: path })).toEqual([
      `${name}_FILE: expected to be unset, because ${name} is set`,
    ]);
  });

  it.each(SECRETS)('rejects a file of %s that cannot be read or holds something else', (name) => {
    const env = { ...ADDRESSES, [name]: '' };
    const paths = [join(directory, 'missing'), directory, fileWith('s3cret'), fileWith('')];
    const lines = paths.map((path) => errorLinesFor({ ...env, [`${name}_FILE`]: path }));
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
          : { ...VALID_SETTINGS };
      const inAddress = { ...env, [url]: 'postgres://user:s3cret@db/x', [file]: path };
      expect(errorLinesFor(inAddress)).toEqual([
        `${url}: expected an address without a password, because ${file} contains it`,
      ]);
      expect(errorLinesFor({ ...env, [url]: '', [file]: path })).toContain(
        `${url}: expected to be set, because ${file} contains the password for it`,
      );
    },
  );

  it('rejects a password of the replica beside the logins that read', () => {
    const env = { ...ADDRESSES, DATABASE_REPLICA_PASSWORD_FILE: fileWith('secret') };
    expect(errorLinesFor(env)).toEqual([
      expect.stringMatching('^DATABASE_REPLICA_PASSWORD_FILE: expected to be unset'),
    ]);
  });
});
