import { AppError } from '../kernel/app-error.js';
import { parseIsoTime } from '../kernel/iso-time.js';

/**
 * Reads `since` from a request target. Other names are ignored.
 *
 * The raw query is read, because a framework's parser has opinions: here a repeated name, an empty
 * value and an unescaped `+` (which means a space) must all be refused.
 *
 * @returns milliseconds since 1970, or null when `since` is not there.
 * @throws {AppError} `invalid_request` when its value is not an ISO 8601 time with a zone.
 */
export function sinceOf(target: string): number | null {
  const start = target.indexOf('?');
  if (start === -1) return null;
  const values = new URLSearchParams(target.slice(start + 1)).getAll('since');
  const [value] = values;
  if (value === undefined) return null;
  const since = values.length === 1 ? parseIsoTime(value) : null;
  if (since === null) throw new AppError('invalid_request', { reason: 'since_malformed' });
  return since;
}
