import type { DealSetsError } from './deal-sets-error.js';

/** The argument of `accessToken`. */
export interface AccessTokenRequest {
  /**
   * The token that the service has just rejected with 401; absent on the first request of a call.
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
   * Returns the access token, without `Bearer`. It is called once for each request, and once more
   * when the service responds 401. It may cache the token and refresh it when it gets
   * `rejectedToken`. An error it throws is passed to the caller. Without it, requests carry the
   * browser's cookies instead.
   */
  readonly accessToken?: ((request: AccessTokenRequest) => string | Promise<string>) | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Time limit of one attempt in milliseconds, body included, after which it counts as lost.
   * Default 15 000.
   */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated before the call fails. Default 5. A poll repeats without limit
   * once any response came. */
  readonly maxRetries?: number | undefined;
  /** Called before each wait for a repetition, so that an application can log it or show it. */
  readonly onRetry?: ((error: DealSetsError, waitMs: number) => void) | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, also while it waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `poll`. */
export interface PollOptions {
  /**
   * Where to begin: the `asOf` of `readAll` or of the last batch handled. Default: the beginning.
   */
  readonly since?: string | undefined;
  /** The pause between two polls once nothing remains, in milliseconds. Default 30 000. */
  readonly everyMs?: number | undefined;
  /** Ends the poll, also while it waits. The iteration then ends without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the poll's unlimited repetitions of a request that fails for a while. */
  readonly maxRetries?: number | undefined;
}
