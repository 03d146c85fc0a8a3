import type { DatabaseOptions } from '../config/settings.js';

/**
 * Values of `sslmode` that version 8 of the driver treats as `verify-full`. Version 9 of the driver
 * will treat them as libpq does, with fewer checks.
 */
const CHANGING_MODES = ['prefer', 'require', 'verify-ca'];

/**
 * Returns the `sslmode` of an address if its meaning changes with the next major version of the
 * driver. `uselibpqcompat=true` already selects the later meaning.
 */
function changingTlsMode(url: string): string | undefined {
  // The driver also accepts addresses that are not URLs; those have no mode.
  if (!URL.canParse(url)) return undefined;
  const { searchParams } = new URL(url);
  if (searchParams.get('uselibpqcompat') === 'true') return undefined;
  const mode = searchParams.getAll('sslmode').at(-1);
  return CHANGING_MODES.find((changing) => changing === mode);
}

/**
 * Returns the address with `sslmode=verify-full` if its `sslmode` is one whose meaning will change.
 * `verify-full` is its present meaning.
 */
export function withStableTlsMode(url: string): string {
  if (changingTlsMode(url) === undefined) return url;
  const address = new URL(url);
  address.searchParams.set('sslmode', 'verify-full');
  return address.href;
}

/** Returns a note for each address whose `sslmode` is treated as `verify-full`. */
export function tlsModeNotes(
  database: Partial<Pick<DatabaseOptions, 'url' | 'readerUrl' | 'assistantUrl' | 'replicaUrl'>>,
): string[] {
  const addresses = {
    DATABASE_URL: database.url,
    DATABASE_READER_URL: database.readerUrl,
    DATABASE_ASSISTANT_URL: database.assistantUrl,
    DATABASE_REPLICA_URL: database.replicaUrl,
  };
  return Object.entries(addresses).flatMap(([setting, url = '']) => {
    const mode = changingTlsMode(url);
    if (mode === undefined) return [];
    return [`${setting}: sslmode=${mode} is treated as verify-full; write sslmode=verify-full`];
  });
}
