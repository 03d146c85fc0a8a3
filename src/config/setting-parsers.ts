import { isIP } from 'node:net';
import { isEmail } from 'class-validator';
import { resourceName } from '../kernel/resource-name.js';
import { parseUuid } from '../kernel/uuid.js';
import type { SettingParser } from './environment-reader.js';

/** The levels of pino that `LOG_LEVEL` accepts. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
const LOG_LEVELS: readonly LogLevel[] = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
];

/** The contact of the API description: a page or a mailbox. */
export type ApiContact = { readonly url: string } | { readonly email: string };

/**
 * The rollout of an endpoint: on for every buyer, off for every buyer, or on for the buyers with
 * these ids.
 */
export type RolloutSetting = 'on' | 'off' | ReadonlySet<string>;

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** A cookie's name is a token (RFC 6265, section 4.1.1). */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/** Any `NODE_ENV` other than `development` or `test` counts as production, typos included. */
export const isProductionEnv: SettingParser<boolean> = {
  expected: 'a text',
  parse: (text) => !['development', 'test'].includes(text),
};

/** Token audiences separated by commas, as `resourceName` returns them, without duplicates. */
export const audienceList: SettingParser<readonly string[]> = {
  expected: 'one audience, or several separated by commas',
  parse(text) {
    const names = text.split(',').map((name) => resourceName(name.trim()));
    return names.every((name) => name !== '') ? [...new Set(names)] : undefined;
  },
};

const textOf = (expected: string, isValid: (text: string) => boolean): SettingParser<string> => ({
  expected,
  parse: (text) => (isValid(text) ? text : undefined),
});

/** A host name or an IP address, to listen on or to reach. */
export const hostName = textOf(
  'a host name or an IP address',
  (text) => isIP(text) > 0 || HOST_NAME.test(text),
);

/** A cookie's name (RFC 6265, section 4.1.1). */
export const cookieName = textOf(
  'the name of a cookie (letters, digits and punctuation without separators)',
  (text) => COOKIE_NAME.test(text),
);

const BOOLEANS: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  '1': true,
  off: false,
  false: false,
  '0': false,
};

/** A boolean: `on` or `off`, or `true`, `false`, `1` or `0`, which other services use. */
export const onOrOff: SettingParser<boolean> = {
  expected: 'on or off (or true, false, 1, 0)',
  parse: (text) => (Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined),
};

/** The levels whose names in Nest and pino differ. A host application may use Nest's names. */
const NEST_LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['log', 'info'],
  ['verbose', 'trace'],
]);

/** One of pino's log levels, or Nest's name of one. */
export const logLevel: SettingParser<LogLevel> = {
  expected: `one of ${LOG_LEVELS.join(', ')}`,
  parse: (text) => NEST_LEVELS.get(text) ?? LOG_LEVELS.find((level) => level === text),
};

/** The value of a `ROLLOUT_*` variable: `on`, `off`, or the ids of buyers. */
export const rollout: SettingParser<RolloutSetting> = {
  expected: 'on, off, or buyer ids (UUIDs) separated by commas',
  parse(text) {
    if (text === 'on' || text === 'off') return text;
    const ids = text.split(',').map((id) => parseUuid(id.trim()));
    return ids.every((id) => id !== undefined) ? new Set(ids) : undefined;
  },
};

/**
 * Returns a parser of whole numbers in decimal digits.
 *
 * @param from the lowest valid number.
 * @param to the highest valid number.
 */
export function wholeNumber(from: number, to: number): SettingParser<number> {
  return {
    expected: `a whole number from ${from} to ${to}`,
    parse(text) {
      const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= from && value <= to ? value : undefined;
    },
  };
}

/** A TCP port; 0 lets the system choose one. */
export const port = wholeNumber(0, 65_535);

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Returns a parser of addresses with one of the schemes. The parser requires `://`, because an
 * address such as `postgres:user@host/db` is also a valid URL, but has no host.
 */
const addressOf = (example: string, ...schemes: readonly string[]): SettingParser<string> =>
  textOf(
    `an address like ${example}`,
    (text) => text.includes('://') && schemes.includes(parseUrl(text)?.protocol ?? ''),
  );

/**
 * Returns whether a host is a loopback host.
 *
 * @param host a name or an address, IPv6 with or without brackets.
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/i.test(host);
}

/** The address of a PostgreSQL database. It contains the password unless a file contains it. */
export const postgresUrl = addressOf(
  'postgres://user:password@host:5432/database',
  'postgres:',
  'postgresql:',
);

/** The address of a Redis server; `rediss:` uses TLS. */
export const redisUrl = addressOf('redis://host:6379 or rediss://host:6379', 'redis:', 'rediss:');

/**
 * An `https:` address, or an `http:` address of a loopback host. It is kept as written, because
 * issuers are compared character by character.
 */
export const webUrl = textOf(
  'an https address without user and fragment (plain http for loopback hosts only)',
  (text) => {
    const url = parseUrl(text);
    if (!url || url.username || url.password || text.includes('#')) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  },
);

/** A web address, which is valid as in `webUrl`, or an e-mail address. */
export const apiContact: SettingParser<ApiContact> = {
  expected: 'an https address or an e-mail address',
  parse(text) {
    if (isEmail(text)) return { email: text };
    const url = webUrl.parse(text);
    return url === undefined ? undefined : { url };
  },
};

/**
 * Web origins separated by commas, to compare with `Origin` headers. Wildcards and `null` are not
 * valid.
 */
export const originList: SettingParser<readonly string[]> = {
  expected:
    'origins like https://app.example.com, separated by commas, without path and without a slash at the end (plain http for loopback hosts only)',
  parse(text) {
    const origins = text.split(',').map((origin) => origin.trim());
    const isOrigin = (origin: string): boolean =>
      webUrl.parse(origin) !== undefined &&
      parseUrl(origin)?.origin === origin &&
      !origin.includes('*');
    return origins.every(isOrigin) ? [...new Set(origins)] : undefined;
  },
};

/** A path whose segments every client and every proxy writes in the same way. */
const PLAIN_PATH = /^(\/[\w~-][\w.~-]*)*$/;

/**
 * An origin, followed by a path if a proxy serves the API under a prefix. The service appends its
 * own paths to this address, so a slash behind the origin is removed.
 */
export const publicUrl: SettingParser<string> = {
  expected:
    'an address like https://api.example.com or https://example.com/deals, without a slash after the path (plain http for loopback hosts only)',
  parse(text) {
    const address = resourceName(text);
    const origin = webUrl.parse(address) && parseUrl(address)?.origin;
    const isValid =
      origin !== undefined &&
      address.startsWith(origin) &&
      PLAIN_PATH.test(address.slice(origin.length));
    return isValid ? address : undefined;
  },
};

/** Returns the path of a `PUBLIC_URL`; empty if it has none. */
export function pathPrefixOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}
