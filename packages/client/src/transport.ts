import { DealSetsError } from './deal-sets-error.js';
import type { DealSetsClientOptions } from './options.js';
import type { ResponseDetails } from './response-promise.js';
import { abortable, backOffMs, isTransient, parseRetryAfter, wait } from './retry.js';

/** A success response: the `data` of its body, and the response itself. */
export interface Success {
  readonly data: unknown;
  readonly response: ResponseDetails;
}

/** Options of one request. */
export interface SendOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxRetries: number;
  /**
   * The number of retries while the address has never responded. Such an address is probably wrong,
   * not temporarily down. Default: `maxRetries`.
   */
  readonly unreachedRetries?: number;
}

const REQUEST_ID = 'Service-Request-Id';
/**
 * Matches a token that an HTTP header can contain. For any other token, `Headers` would throw an
 * error whose message quotes the token.
 */
const TOKEN = /^[\x21-\x7e]+$/;

/** Sends GET requests with credentials, a time limit and retries. */
export class Transport {
  readonly #base: string;
  /** Whether any response ever came from the address. */
  #wasReached = false;

  constructor(private readonly options: DealSetsClientOptions) {
    this.#base = baseAddress(options.baseUrl);
    assertRetries(options.maxRetries);
  }

  /**
   * Sends the request until it succeeds, fails permanently, or has been retried `maxRetries` times.
   */
  async send(
    path: string,
    { signal, maxRetries, unreachedRetries = maxRetries }: SendOptions,
  ): Promise<Success> {
    signal?.throwIfAborted();
    let token = await this.#accessToken(undefined, signal);
    let retries = 0;
    for (let wasRejected = false; ;) {
      const outcome = await this.#attempt(this.#base + path, token, signal);
      if (!(outcome instanceof DealSetsError)) return outcome;
      if (outcome.status === 401 && token !== undefined && !wasRejected) {
        wasRejected = true;
        const rejected = token;
        token = await this.#accessToken(rejected, signal);
        if (token !== rejected) continue;
      }
      const limit = this.#wasReached ? maxRetries : unreachedRetries;
      if (!isTransient(outcome) || retries >= limit) throw outcome;
      // The token is kept, because neither a rate limit nor an outage invalidates it.
      wasRejected = false;
      const waitMs = outcome.retryAfterMs || backOffMs(retries);
      retries += 1;
      this.options.onRetry?.(outcome, waitMs);
      await wait(waitMs, signal);
    }
  }

  async #accessToken(
    rejectedToken: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { accessToken } = this.options;
    if (!accessToken) return undefined;
    const answer = accessToken(rejectedToken === undefined ? {} : { rejectedToken });
    const token = await abortable(Promise.resolve(answer), signal);
    if (typeof token !== 'string' || !TOKEN.test(token)) {
      throw new TypeError('accessToken must return the token as a string, without "Bearer"');
    }
    return token;
  }

  /** Sends one request. A caller's abort is thrown; every other failure is returned. */
  async #attempt(
    url: string,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Success | DealSetsError> {
    const { fetch = globalThis.fetch, timeoutMs = 15_000 } = this.options;
    const attempt = new AbortController();
    const onAbort = (): void => attempt.abort(signal?.reason);
    const timer = setTimeout(
      () => attempt.abort(new Error(`no complete response within ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort);
    let response: Response | undefined;
    try {
      signal?.throwIfAborted();
      const sent = fetch(url, { ...credentials(token), signal: attempt.signal });
      response = await abortable(sent, attempt.signal);
      this.#wasReached = true;
      const text = await abortable(response.text(), attempt.signal);
      return parseResponse(response, text);
    } catch (cause) {
      signal?.throwIfAborted();
      return new DealSetsError(`No complete response arrived: ${reasonOf(cause)}.`, {
        code: 'network_error',
        ...(response && detailsOf(response)),
        status: 0,
        cause,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/**
 * Returns the absolute address without trailing slashes. A relative address is resolved against
 * the page.
 *
 * @throws {TypeError} if the address is invalid, if it contains a user name or a password, or if
 *   its scheme is neither http nor https.
 */
function baseAddress(baseUrl: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const problem = 'baseUrl must be an absolute URL, such as https://api.example.com';
  try {
    const { href, protocol, username, password } = new URL(baseUrl, page);
    // `fetch` rejects an address with a password, and its error would quote it.
    const isPlain = username === '' && password === '';
    if (isPlain && (protocol === 'https:' || protocol === 'http:')) return href.replace(/\/+$/, '');
  } catch (cause) {
    throw new TypeError(problem, { cause });
  }
  throw new TypeError(problem);
}

/** @throws {TypeError} for a value that is not a number of retries. */
export function assertRetries(maxRetries: number | undefined): void {
  if (maxRetries === undefined || maxRetries === Infinity) return;
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return;
  throw new TypeError('maxRetries must be a whole number, 0 or more, or Infinity');
}

/** Returns the reason of an error. For the error `fetch failed`, the reason is in its `cause`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as {
    cause?: { code?: string; message?: string };
    message: string;
  };
  return cause?.code ?? cause?.message ?? message;
}

/**
 * Returns `fetch` options that send either the token or the browser's cookies, never both. Some
 * edge runtimes reject the `credentials` option, so it is left out there.
 */
function credentials(token: string | undefined): RequestInit {
  const accept = 'application/json';
  if (token === undefined) return { headers: { accept }, credentials: 'include' };
  const headers = { accept, authorization: `Bearer ${token}` };
  return 'credentials' in Request.prototype ? { headers, credentials: 'omit' } : { headers };
}

function parseResponse(response: Response, text: string): Success | DealSetsError {
  const { headers, ok, status } = response;
  const details = detailsOf(response);
  const body = parseObject(text);
  if (ok && body?.['data'] !== undefined) return { data: body['data'], response: details };
  if (ok) return invalidResponse(details, 'The response has no `data`.');
  const error = (body?.['error'] ?? {}) as { code?: unknown; message?: unknown };
  // Only a 404 of the service itself means that there is no such deal set; a gateway's does not.
  const isOwn = status !== 404 || headers.has('Service-API-Version');
  const code = typeof error.code === 'string' && isOwn ? error.code : `http_${status}`;
  const message = typeof error.message === 'string' ? error.message : 'The request failed.';
  return new DealSetsError(`${message} (${code}, HTTP ${status})`, {
    code,
    ...details,
    retryAfterMs: parseRetryAfter(headers.get('Retry-After')),
  });
}

function detailsOf({ status, headers }: Response): ResponseDetails {
  return { status, requestId: headers.get(REQUEST_ID) ?? undefined, headers };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the error for a success response that breaks the contract. */
export function invalidResponse(response: ResponseDetails, message: string): DealSetsError {
  return new DealSetsError(message, { code: 'invalid_response', ...response });
}
