import type { ErrorCode } from '../../kernel/error-catalogue.js';

/**
 * The error codes by status of an HTTP exception. Any other 4xx status has the code
 * `invalid_request`, and any other 5xx status has the code `internal`.
 */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [408, 'unavailable'],
  [429, 'rate_limited'],
  [503, 'unavailable'],
  [504, 'unavailable'],
]);

/**
 * Returns the error code for the status of an HTTP exception; undefined for a status that is not an
 * error.
 */
export function codeOfStatus(status: number): ErrorCode | undefined {
  if (status < 400 || status > 599) return undefined;
  return CODE_OF_STATUS.get(status) ?? (status < 500 ? 'invalid_request' : 'internal');
}

/**
 * The statuses that an HTTP exception keeps, because the contract has an error with this status.
 */
const CONTRACT_STATUSES: readonly number[] = [400, 401, 403, 404, 429, 503];
/**
 * The statuses that indicate that another system failed or that something did not respond in time.
 */
const OUTAGE_STATUSES: readonly number[] = [408, 502, 504];

/**
 * Returns the error code for the status of an HTTP exception that an endpoint of the contract
 * throws. The response has the status that belongs to this code (section 7), not the status of the
 * exception.
 */
export function contractCodeOfStatus(status: number): ErrorCode {
  if (OUTAGE_STATUSES.includes(status)) return 'unavailable';
  const code = CONTRACT_STATUSES.includes(status) ? codeOfStatus(status) : undefined;
  return code ?? 'internal';
}
