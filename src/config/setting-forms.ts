import { isIP } from 'node:net';
import { parseUuid } from '../kernel/uuid.js';
import type { SettingForm } from './setting.decorator.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The endpoint is on for every buyer, off for every buyer, or on for the named ones. */
export type RolloutSetting = 'on' | 'off' | ReadonlySet<string>;

const LARGEST_PORT = 65_535;
/** Values of NODE_ENV that do not demand a real issuer. Any other, misspelt ones included, is production. */
const NOT_PRODUCTION = ['development', 'test'];
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** A cookie's name is a token (RFC 6265, section 4.1.1). */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/** True for production. */
export const demandsRealIssuer: SettingForm<boolean> = {
  expected: 'a text',
  parse: (text) => !NOT_PRODUCTION.includes(text),
};

export const anyText: SettingForm<string> = { expected: 'a text', parse: (text) => text };

export const audienceList: SettingForm<readonly string[]> = {
  expected: 'one audience, or several separated by commas',
  parse(text) {
    const names = text.split(',').map((name) => name.trim());
    return names.every((name) => name !== '') ? [...new Set(names)] : undefined;
  },
};

export const hostName: SettingForm<string> = {
  expected: 'a host name or an IP address',
  parse: (text) => (isIP(text) || HOST_NAME.test(text) ? text : undefined),
};

export const cookieName: SettingForm<string> = {
  expected: 'the name of a cookie (letters, digits and punctuation without separators)',
  parse: (text) => (COOKIE_NAME.test(text) ? text : undefined),
};

export const onOrOff: SettingForm<boolean> = {
  expected: 'on or off',
  parse: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
};

export const logLevel: SettingForm<LogLevel> = {
  expected: `one of ${LOG_LEVELS.join(', ')}`,
  parse: (text) => LOG_LEVELS.find((level) => level === text),
};

export const rollout: SettingForm<RolloutSetting> = {
  expected: 'on, off, or buyer ids (UUIDs) separated by commas',
  parse(text) {
    if (text === 'on' || text === 'off') return text;
    const ids = text.split(',').map((id) => parseUuid(id.trim()));
    return ids.every((id) => id !== undefined) ? new Set(ids) : undefined;
  },
};

/** A whole number in decimal digits, bounds included. */
export function wholeNumber(from: number, to: number): SettingForm<number> {
  return {
    expected: `a whole number from ${from} to ${to}`,
    parse(text) {
      if (!/^[0-9]{1,15}$/.test(text)) return undefined;
      const value = Number(text);
      return value >= from && value <= to ? value : undefined;
    },
  };
}

export const port = wholeNumber(0, LARGEST_PORT);
