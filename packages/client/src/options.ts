import type { DealSetsError } from './deal-sets-error.js';

/** The argument of `accessToken`. */
export interface AccessTokenRequest {
  /**
   * The token that the service has just rejected with 401. Absent unless a token was rejected.
   */
  readonly rejectedToken?: string;
}

/** The options of `DealSetsClient`. */
export interface DealSetsClientOptions {
  /**
   * The service's address, without `/api/v1`. In a browser it may be relative: `/` is the page's
   * origin.
   */
  readonly baseUrl: string;
  /**
   * Returns the access token, without `Bearer`. The client calls the function once for each
   * request, and once more if the service responds with 401. The function may cache the token and
   * refresh it when `rejectedToken` is given. If the function throws an error, the client's call
   * rejects with that error. Without this option, requests carry the browser's cookies.
   */
  readonly accessToken?: ((request: AccessTokenRequest) => string | Promise<string>) | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * The time limit of one attempt in milliseconds, including the body. A later response counts as
   * lost. Default: 15,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The number of retries before a call fails. Default: 5. Once the service has responded, polls
   * are retried without limit.
   */
  readonly maxRetries?: number | undefined;
  /**
   * Called before each wait for a retry, so that an application can log or show it. `waitMs` is in
   * milliseconds.
   */
  readonly onRetry?: ((error: DealSetsError, waitMs: number) => void) | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, even during a wait. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `poll`. */
export interface PollOptions {
  /**
   * The time after which changes are read: the `asOf` of `readAll` or of the last batch handled.
   * Default: the beginning, which reads everything.
   */
  readonly since?: string | undefined;
  /** The pause between two polls once nothing remains, in milliseconds. Default: 30,000. */
  readonly everyMs?: number | undefined;
  /** Ends the poll, even during a wait. The iteration then ends without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The number of retries of each request of the poll. Default: no limit, or the client's
   * `maxRetries` if the address has never responded.
   */
  readonly maxRetries?: number | undefined;
}
