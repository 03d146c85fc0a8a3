import type { ErrorCode } from '../kernel/app-error.js';

export interface CatalogueEntry {
  /** HTTP status (contract, section 7). */
  readonly status: number;
  /** Public text: constant, so that it can carry nothing of a request or a failure. */
  readonly message: string;
  /** Level of the line that tells why; undefined where the request's own line says enough. */
  readonly logLevel: 'error' | 'warn' | undefined;
}

/** Every error an answer can carry: the one place that knows status and words. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    logLevel: undefined,
  },
  unauthenticated: {
    status: 401,
    message: 'Sign in, or send a valid access token.',
    logLevel: undefined,
  },
  insufficient_scope: {
    status: 403,
    message: 'The credential does not hold the scope that this needs.',
    logLevel: undefined,
  },
  not_found: {
    status: 404,
    message: 'There is no such resource.',
    logLevel: undefined,
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait before the next one.',
    logLevel: undefined,
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
