import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';

export interface CatalogueEntry {
  /** HTTP status (contract, section 7). */
  readonly status: number;
  /** Public text: constant, so that it can carry nothing of a request or a failure. */
  readonly message: string;
  /** Level of the request's line; at `warn` and above it says what went wrong underneath. */
  readonly logLevel: 'error' | 'warn' | 'info';
}

/** Every error a response can carry: the one place that knows status and message. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    logLevel: 'info',
  },
  unauthenticated: {
    status: 401,
    message: 'Sign in, or send a valid access token.',
    logLevel: 'info',
  },
  insufficient_scope: {
    status: 403,
    message: 'The credential does not hold the scope that this needs.',
    logLevel: 'info',
  },
  forbidden: {
    status: 403,
    message: 'The caller may not use this operation.',
    logLevel: 'info',
  },
  not_found: {
    status: 404,
    message: 'There is no such resource.',
    logLevel: 'info',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait before the next one.',
    logLevel: 'info',
  },
  internal: {
    status: 500,
    message: 'Something went wrong on our side.',
    logLevel: 'error',
  },
  auth_unverifiable: {
    status: 503,
    message: 'Your sign-in could not be confirmed just now. Try again shortly.',
    logLevel: 'warn',
  },
  unavailable: {
    status: 503,
    message: 'The service could not answer just now. Try again shortly.',
    logLevel: 'warn',
  },
};

/** Messages of known causes, in place of their code's message. */
export const REASON_MESSAGES: Readonly<Record<ErrorReason, string>> = {
  since_malformed:
    '`since` must be one ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z; write + as %2B.',
};

/** The code of each of Nest's HTTP exceptions; any other status is a defect. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'invalid_request'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'invalid_request'],
  [409, 'invalid_request'],
  [413, 'invalid_request'],
  [415, 'invalid_request'],
  [422, 'invalid_request'],
  [429, 'rate_limited'],
  [503, 'unavailable'],
]);

/** The error code for an HTTP exception of this status, or undefined. */
export function codeOfStatus(status: number): ErrorCode | undefined {
  return CODES.get(status);
}

/** The public text of a code and, where known, its cause. */
export function messageOf(code: ErrorCode, reason?: ErrorReason): string {
  return reason ? REASON_MESSAGES[reason] : ERROR_CATALOGUE[code].message;
}
