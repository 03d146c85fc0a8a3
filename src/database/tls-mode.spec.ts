import { tlsModeNotes, withStableTlsMode } from './tls-mode.js';

const ADDRESS = 'postgres://user:p%20w@host:5432/db';

describe('withStableTlsMode', () => {
  it.each(['prefer', 'require', 'verify-ca'])('replaces %s by verify-full', (mode) => {
    expect(withStableTlsMode(`${ADDRESS}?sslmode=${mode}&sslrootcert=/a.pem`)).toBe(
      `${ADDRESS}?sslmode=verify-full&sslrootcert=%2Fa.pem`,
    );
  });

  it.each([
    ADDRESS,
    '/var/run/postgresql db',
    ...['verify-full', 'disable', 'no-verify'].map((mode) => `${ADDRESS}?sslmode=${mode}`),
    `${ADDRESS}?uselibpqcompat=true&sslmode=require`,
  ])('leaves %s as it is', (url) => {
    expect(withStableTlsMode(url)).toBe(url);
    expect(tlsModeNotes({ url })).toEqual([]);
  });
});
