import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import * as z from 'zod';
import { resourceName } from '../kernel/resource-name.js';
import { parseUuid } from '../kernel/uuid.js';

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

// Each schema accepts the text of a variable as well as a typed option. The `error` of each of its
// checks is the same: it completes the sentence "expected …", without the value.

/**
 * Returns a schema that also accepts a text.
 *
 * @param read converts the text. It returns an invalid text as it is.
 */
function orText<T>(schema: z.ZodType<T, T>, read: (text: string) => unknown): z.ZodType<T, T> {
  const converted = z.preprocess(
    (input) => (typeof input === 'string' ? read(input) : input),
    schema,
  );
  // The type of the options does not mention texts.
  return converted as z.ZodType<T> as z.ZodType<T, T>;
}

const textOf = (error: string, isValid: (text: string) => boolean): z.ZodType<string, string> =>
  z.string(error).refine(isValid, error);

/** Returns a schema of a list without duplicates; in a text, commas separate the entries. */
function listOf(
  error: string,
  entry: z.ZodType<string, string>,
): z.ZodType<readonly string[], readonly string[]> {
  const list = z
    .array(entry, error)
    .transform((entries) => [...new Set(entries)])
    .readonly();
  return orText(list as z.ZodType<readonly string[], readonly string[]>, split);
}

const split = (text: string): string[] => text.split(',').map((entry) => entry.trim());

/** Any `NODE_ENV` other than `development` or `test` counts as production, typos included. */
export const isProductionEnv = orText(
  z.boolean('true or false'),
  (text) => !['development', 'test'].includes(text),
);

const AUDIENCES = 'one audience, or several separated by commas';
/** Token audiences, as `resourceName` returns them, without duplicates. */
export const audienceList = listOf(
  AUDIENCES,
  z.string(AUDIENCES).min(1, AUDIENCES).transform(resourceName),
).refine((audiences) => audiences.length > 0, AUDIENCES);

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
export const tokenType: z.ZodType<'at+jwt' | 'any', 'at+jwt' | 'any'> = z.enum(
  ['at+jwt', 'any'],
  'at+jwt or any',
);

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

/** A boolean: `on` or `off`, or `true`, `false`, `1` or `0`, which other services use. */
export const onOrOff = orText(
  z.boolean('on or off (or true, false, 1, 0)'),
  (text) => BOOLEANS.get(text) ?? text,
);

/** The levels whose names in Nest and pino differ. */
const NEST_LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['log', 'info'],
  ['verbose', 'trace'],
]);

/** One of pino's log levels, or Nest's name of one. */
export const logLevel = orText<LogLevel>(
  z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`),
  (text) => NEST_LEVELS.get(text) ?? text,
);

const ROLLOUT = 'on, off, or buyer ids (UUIDs) separated by commas (as an option: a Set)';
const buyerId = z
  .string(ROLLOUT)
  .refine((text) => parseUuid(text) !== undefined, ROLLOUT)
  .toLowerCase();

/** The rollout of an endpoint: `on`, `off`, or the ids of buyers. */
export const rollout = orText<RolloutSetting>(
  z.union([z.enum(['on', 'off'], ROLLOUT), z.set(buyerId, ROLLOUT)], ROLLOUT),
  (text) => (text === 'on' || text === 'off' ? text : new Set(split(text))),
);

/**
 * Returns the schema of a whole number, in a text in decimal digits.
 *
 * @param from the lowest valid number.
 * @param to the highest valid number.
 */
export function wholeNumber(from: number, to: number): z.ZodType<number, number> {
  const error = `a whole number from ${from} to ${to}`;
  return orText(z.int(error).min(from, error).max(to, error), (text) =>
    /^[0-9]{1,15}$/.test(text) ? Number(text) : text,
  );
}

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
 * Returns whether a text is an address with one of the protocols. It requires `://`, because an
 * address such as `postgres:user@host/db` is also a valid URL, but has no host.
 */
const isAddress = (text: string, ...protocols: readonly string[]): boolean =>
  text.includes('://') && protocols.includes(parseUrl(text)?.protocol ?? '');

/**
 * Returns whether a host is a loopback host.
 *
 * @param host a name or an address, IPv6 with or without brackets.
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[::1\]|::1|127(\.\d{1,3}){3})$/i.test(host);
}

/** Returns whether TypeORM and the driver can decode the percent-encoded parts of an address. */
function canBeDecoded(address: string): boolean {
  try {
    decodeURIComponent(address);
    return true;
  } catch {
    return false;
  }
}

/** The address of a PostgreSQL database. It contains the password unless a file contains it. */
export const postgresUrl = textOf(
  'an address like postgres://user:password@host:5432/database, with special characters of the password percent-encoded',
  (text) => isAddress(text, 'postgres:', 'postgresql:') && canBeDecoded(text),
);

/** The address of a Redis server; `rediss:` uses TLS. */
export const redisUrl = textOf('an address like redis://host:6379 or rediss://host:6379', (text) =>
  isAddress(text, 'redis:', 'rediss:'),
);

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

const CONTACT = 'an https address or an e-mail address (as an option: an object with url or email)';
/** A web address, which is valid as in `webUrl`, or an e-mail address. */
export const apiContact = orText<ApiContact>(
  z.union(
    [
      z.strictObject({ url: textOf(CONTACT, isWebUrl) }, CONTACT).readonly(),
      z.strictObject({ email: z.email(CONTACT) }, CONTACT).readonly(),
    ],
    CONTACT,
  ),
  (text) => (URL.canParse(text) ? { url: text } : { email: text }),
);

/** The origin of an app or a browser extension, such as `capacitor://localhost`. */
const APP_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

const isOrigin = (text: string): boolean =>
  APP_ORIGIN.test(text) ||
  (isWebUrl(text) && parseUrl(text)?.origin === text && !text.includes('*'));

const ORIGINS =
  'origins like https://app.example.com or capacitor://localhost, separated by commas, without path and without a slash at the end (plain http for loopback hosts only)';
/**
 * Origins of pages, of apps and of browser extensions, to compare with `Origin` headers. Wildcards and
 * `null` are not valid.
 */
export const originList = listOf(ORIGINS, textOf(ORIGINS, isOrigin));

/** A path whose segments every client and every proxy writes in the same way. */
const PLAIN_PATH = /^(\/[\w~-][\w.~-]*)*$/;

const PUBLIC_URL =
  'an address like https://api.example.com or https://example.com/deals, without a slash after the path (plain http for loopback hosts only)';
/**
 * An origin, followed by a path if a proxy serves the API under a prefix. The service appends its
 * own paths to this address, so a slash after the origin is removed.
 */
export const publicUrl: z.ZodType<string, string> = z
  .string(PUBLIC_URL)
  .transform(resourceName)
  .refine((address) => {
    if (!isWebUrl(address)) return false;
    const { origin } = new URL(address);
    return address.startsWith(origin) && PLAIN_PATH.test(address.slice(origin.length));
  }, PUBLIC_URL);

/** Returns the path of a `PUBLIC_URL`; empty if it has none. */
export function pathPrefixOf(url: string): string {
  return url.slice(new URL(url).origin.length);
}
