/** Every error code of a response (contract, section 7). */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'internal'
  | 'auth_unverifiable'
  | 'unavailable';

/**
 * A known reason for an error, which the message states. The set is closed, so that messages stay
 * constant.
 */
export type ErrorReason = 'since_malformed';

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

/** How the caller sent the invalid value: in the query, or as an argument of a tool. */
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

/** Builds the body of an error response (contract, section 7). */
export function errorEnvelope(code: string, message: string): ErrorEnvelope {
  return { error: { code, message } };
}

/** The body of an error response. */
export interface ErrorEnvelope {
  readonly error: { readonly code: string; readonly message: string };
}
