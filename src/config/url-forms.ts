import type { SettingForm } from './setting.decorator.js';

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return schemes.includes(parseUrl(text)?.protocol ?? '');
}

/** @param host a name or an address, IPv6 with or without brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/i.test(host);
}

const POSTGRES_SCHEMES = ['postgres:', 'postgresql:'];

export const postgresUrl: SettingForm<string> = {
  expected: 'an address like postgres://user:password@host:5432/database',
  parse: (text) => (hasScheme(text, POSTGRES_SCHEMES) ? text : undefined),
};

export const redisUrl: SettingForm<string> = {
  expected: 'an address like redis://host:6379 or rediss://host:6379',
  parse: (text) => (hasScheme(text, ['redis:', 'rediss:']) ? text : undefined),
};

/** Keys and issuers are fetched or compared over the network: plain http only where it never leaves the machine. */
export const webUrl: SettingForm<string> = {
  expected: 'an https address without user and fragment (plain http for loopback hosts only)',
  parse(text) {
    const url = parseUrl(text);
    if (!url || url.username || url.password || text.includes('#')) return undefined;
    const isSafe =
      url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
    // Kept as written: an issuer is compared character by character.
    return isSafe ? text : undefined;
  },
};

/** Compared with Host and Origin headers and put before paths, so it is an origin and nothing more. */
export const publicUrl: SettingForm<string> = {
  expected:
    'an address like https://api.example.com, without path and without a slash at its end (plain http for loopback hosts only)',
  parse: (text) =>
    webUrl.parse(text) !== undefined && parseUrl(text)?.origin === text ? text : undefined,
};
