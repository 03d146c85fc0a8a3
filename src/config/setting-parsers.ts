import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import * as z from 'zod';
import { resourceName } from '../kernel/resource-name.js';
import { parseUuid } from '../kernel/uuid.js';

/** Checks the values of a setting, and converts the texts of its variable. */
export interface SettingParser<T> {
  /** Completes the sentence "expected …" about a text. It never contains the value. */
  readonly expected: string;
  /** Completes that sentence about a typed option, if it differs. */
  readonly expectedOption?: string;
  /** Checks a value, whether it is a typed option or comes from `fromText`. */
  readonly schema: z.ZodType<T, T>;
  /**
   * Converts the text of a variable to a value for `schema`. It returns an invalid text as it is.
   */
  readonly fromText: (text: string) => unknown;
}

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
/** The name of a claim; it may be an address, such as `https://example.com/buyer_id`. */
const CLAIM_NAME = /^[\x21-\x7E]{1,256}$/;

const asIs = (text: string): string => text;
const textOf = (expected: string, isValid: (text: string) => boolean): SettingParser<string> => ({
  expected,
  schema: z.string().refine(isValid),
  fromText: asIs,
});

/** Returns the entries of a list whose separator is a comma. */
const split = (text: string): string[] => text.split(',').map((entry) => entry.trim());
/** A list of texts without duplicates. */
const listOf = (
  entry: z.ZodType<string, string>,
): z.ZodType<readonly string[], readonly string[]> =>
  z
    .array(entry)
    .transform((entries) => [...new Set(entries)])
    .readonly();

/** Any `NODE_ENV` other than `development` or `test` counts as production, typos included. */
export const isProductionEnv: SettingParser<boolean> = {
  expected: 'true or false',
  schema: z.boolean(),
  fromText: (text) => !['development', 'test'].includes(text),
};

/** Token audiences separated by commas, as `resourceName` returns them, without duplicates. */
export const audienceList: SettingParser<readonly string[]> = {
  expected: 'one audience, or several separated by commas',
  expectedOption: 'a list of at least one audience',
  schema: listOf(z.string().min(1).transform(resourceName)).refine(
    (audiences) => audiences.length > 0,
  ),
  fromText: split,
};

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

/** The name of a claim of an access token. It is not a path: dots belong to the name. */
export const claimName = textOf(
  'the name of a claim (printable ASCII characters without blanks)',
  (text) => CLAIM_NAME.test(text),
);

/**
 * Which `typ` headers access tokens have: that of RFC 9068, or also `JWT` or none, as with issuers
 * that do not mark access tokens.
 */
export const tokenType: SettingParser<'at+jwt' | 'any'> = {
  expected: 'at+jwt or any',
  schema: z.enum(['at+jwt', 'any']),
  fromText: asIs,
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

/** A boolean: `on` or `off`, or `true`, `false`, `1` or `0`, which other services use. */
export const onOrOff: SettingParser<boolean> = {
  expected: 'on or off (or true, false, 1, 0)',
  expectedOption: 'true or false',
  schema: z.boolean(),
  fromText: (text) => BOOLEANS.get(text) ?? text,
};

/** The levels whose names in Nest and pino differ. */
const NEST_LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['log', 'info'],
  ['verbose', 'trace'],
]);

/** One of pino's log levels, or Nest's name of one. */
export const logLevel: SettingParser<LogLevel> = {
  expected: `one of ${LOG_LEVELS.join(', ')}`,
  schema: z.enum(LOG_LEVELS),
  fromText: (text) => NEST_LEVELS.get(text) ?? text,
};

const buyerId = z
  .string()
  .refine((text) => parseUuid(text) !== undefined)
  .toLowerCase();

/** The value of a `ROLLOUT_*` variable: `on`, `off`, or the ids of buyers. */
export const rollout: SettingParser<RolloutSetting> = {
  expected: 'on, off, or buyer ids (UUIDs) separated by commas',
  expectedOption: 'on, off, or a Set of buyer ids (UUIDs)',
  schema: z.union([z.enum(['on', 'off']), z.set(buyerId)]),
  fromText: (text) => (text === 'on' || text === 'off' ? text : new Set(split(text))),
};

/**
 * Returns a parser of whole numbers in decimal digits.
 *
 * @param from the lowest valid number.
 * @param to the highest valid number.
 */
export const wholeNumber = (from: number, to: number): SettingParser<number> => ({
  expected: `a whole number from ${from} to ${to}`,
  schema: z.int().min(from).max(to),
  fromText: (text) => (/^[0-9]{1,15}$/.test(text) ? Number(text) : text),
});

/** A TCP port; 0 lets the system choose one. */
export const port = wholeNumber(0, 65_535);

/** The path of a file that can be read now. */
export const readableFile = textOf('the path of a file that can be read', (path) => {
  try {
    accessSync(path, constants.R_OK);
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
});

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

const databaseAddress = addressOf(
  'postgres://user:password@host:5432/database',
  'postgres:',
  'postgresql:',
);

/** The address of a PostgreSQL database. It contains the password unless a file contains it. */
export const postgresUrl: SettingParser<string> = {
  ...databaseAddress,
  expected: `${databaseAddress.expected}, with special characters of the password percent-encoded`,
  schema: databaseAddress.schema.refine(canBeDecoded),
};

/** Returns whether TypeORM and the driver can decode the percent-encoded parts of an address. */
function canBeDecoded(address: string): boolean {
  try {
    decodeURIComponent(address);
    return true;
  } catch {
    return false;
  }
}

/** The address of a Redis server; `rediss:` uses TLS. */
export const redisUrl = addressOf('redis://host:6379 or rediss://host:6379', 'redis:', 'rediss:');

/** Returns whether a text is an address as in `webUrl`. */
export function isWebUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.username || url.password || text.includes('#')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/**
 * An `https:` address, or an `http:` address of a loopback host. It is kept as written, because
 * issuers are compared character by character.
 */
export const webUrl = textOf(
  'an https address without user and fragment (plain http for loopback hosts only)',
  isWebUrl,
);

/** A web address, which is valid as in `webUrl`, or an e-mail address. */
export const apiContact: SettingParser<ApiContact> = {
  expected: 'an https address or an e-mail address',
  expectedOption: 'an object with an https address as url, or an e-mail address as email',
  schema: z.union([
    z.strictObject({ url: webUrl.schema }).readonly(),
    z.strictObject({ email: z.email() }).readonly(),
  ]),
  fromText: (text) => (URL.canParse(text) ? { url: text } : { email: text }),
};

/** The origin of an app or a browser extension, such as `capacitor://localhost`. */
const APP_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

const isOrigin = (text: string): boolean =>
  APP_ORIGIN.test(text) ||
  (isWebUrl(text) && parseUrl(text)?.origin === text && !text.includes('*'));

/**
 * Origins separated by commas, to compare with `Origin` headers: of pages, of apps and of browser
 * extensions. Wildcards and `null` are not valid.
 */
export const originList: SettingParser<readonly string[]> = {
  expected:
    'origins like https://app.example.com or capacitor://localhost, separated by commas, without path and without a slash at the end (plain http for loopback hosts only)',
  expectedOption:
    'a list of origins like https://app.example.com or capacitor://localhost, without path and without a slash at the end (plain http for loopback hosts only)',
  schema: listOf(z.string().refine(isOrigin)),
  fromText: split,
};

/** A path whose segments every client and every proxy writes in the same way. */
const PLAIN_PATH = /^(\/[\w~-][\w.~-]*)*$/;

/**
 * An origin, followed by a path if a proxy serves the API under a prefix. The service appends its
 * own paths to this address, so a slash after the origin is removed.
 */
export const publicUrl: SettingParser<string> = {
  expected:
    'an address like https://api.example.com or https://example.com/deals, without a slash after the path (plain http for loopback hosts only)',
  schema: z
    .string()
    .transform(resourceName)
    .refine((address) => {
      if (!isWebUrl(address)) return false;
      const { origin } = new URL(address);
      return address.startsWith(origin) && PLAIN_PATH.test(address.slice(origin.length));
    }),
  fromText: asIs,
};

/** Returns the path of a `PUBLIC_URL`; empty if it has none. */
export function pathPrefixOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}
