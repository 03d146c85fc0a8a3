import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';

interface CatalogueEntry {
  readonly status: number;
  /**
   * The public message. It is constant, so that it cannot contain details of a request or a
   * failure.
   */
  readonly message: string;
  /**
   * When the error happens, for the API description. `{scope}` and `{rateClass}` are replaced with
   * those of the endpoint.
   */
  readonly description: string;
}

function entry(status: number, message: string, description = message): CatalogueEntry {
  return { status, message, description };
}

/** Status, message and description of every error of the contract (section 7). */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = {
  invalid_request: entry(400, 'The request is not valid.'),
  unauthenticated: entry(
    401,
    'Sign in, or send a valid access token.',
    'No credential, or one that is not valid: signed out, expired, revoked, or not an access token of this service.',
  ),
  insufficient_scope: entry(
    403,
    'The credential lacks the required scope.',
    'The credential does not hold `{scope}`.',
  ),
  forbidden: entry(403, 'The caller may not use this operation.'),
  not_found: entry(
    404,
    'There is no such resource.',
    'No such resource, or not the caller’s, or the endpoint is not turned on for the caller.',
  ),
  rate_limited: entry(
    429,
    'Too many requests. Wait before the next one.',
    'The caller has used up the rate class `{rateClass}`. A request after `Retry-After` is admitted.',
  ),
  internal: entry(
    500,
    'Something went wrong on our side.',
    'A failure of the service. Nothing is returned.',
  ),
  auth_unverifiable: entry(
    503,
    'Your sign-in could not be confirmed just now. Try again shortly.',
    'The sign-in could not be confirmed, which is not the same as signed out.',
  ),
  unavailable: entry(
    503,
    'The service could not answer just now. Try again shortly.',
    'The service is unavailable. Nothing is returned. Try again after `Retry-After`, or back off.',
  ),
};

/** How a caller sent the value that an error is about: in a URL, or as an argument of a tool. */
type InputForm = 'query' | 'argument';

const SINCE_RULE =
  '`since` must be one ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z';

const REASON_MESSAGES: Readonly<Record<ErrorReason, Readonly<Record<InputForm, string>>>> = {
  since_malformed: { query: `${SINCE_RULE}; write + as %2B.`, argument: `${SINCE_RULE}.` },
};

/** Returns the public message of an error. A reason selects a more precise message. */
export function errorMessage(
  code: ErrorCode,
  reason?: ErrorReason,
  input: InputForm = 'query',
): string {
  return reason ? REASON_MESSAGES[reason][input] : ERROR_CATALOGUE[code].message;
}

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
