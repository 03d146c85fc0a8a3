import { abortable, wait } from './abortable.js';
import { DealSetsError } from './deal-sets-error.js';
import type { DealSetsClientOptions } from './options.js';
import { backOffMs, isTransient, parseRetryAfter } from './retry.js';

/** A success response: its `data`, and the headers. */
export interface Success {
  readonly data: unknown;
  readonly headers: Headers;
}

export interface SendOptions {
  readonly signal: AbortSignal | undefined;
  readonly maxRetries: number;
}

const REQUEST_ID = 'Service-Request-Id';
/** What an HTTP header can carry; `Headers` would quote any other token in its error message. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Sends GET requests: credentials, time limit, retries, and errors as `DealSetsError`. */
export class Transport {
  readonly #base: string;

  constructor(private readonly options: DealSetsClientOptions) {
    const page = (globalThis as { location?: { href: string } }).location?.href;
    try {
      this.#base = new URL(options.baseUrl, page).href.replace(/\/+$/, '');
    } catch (cause) {
      throw new TypeError('baseUrl must be an absolute URL, such as https://api.example.com', {
        cause,
      });
    }
  }

  /** Sends the request until it succeeds, fails for good, or has been repeated `maxRetries` times. */
  async send(path: string, { signal, maxRetries }: SendOptions): Promise<Success> {
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
      if (!isTransient(outcome) || retries >= maxRetries) throw outcome;
      // The token is kept: neither a rate limit nor an outage says anything about it.
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

  /** One request with its response. A caller's abort is thrown; every other failure is returned. */
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
      const text = await abortable(response.text(), attempt.signal);
      return parseResponse(response, text);
    } catch (cause) {
      signal?.throwIfAborted();
      return new DealSetsError('No complete response arrived.', {
        code: 'network_error',
        status: 0,
        requestId: response?.headers.get(REQUEST_ID) ?? undefined,
        cause,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** A token alone, or the browser's cookies alone. Some edge runtimes have no `credentials` and refuse it. */
function credentials(token: string | undefined): RequestInit {
  const accept = 'application/json';
  if (token === undefined) return { headers: { accept }, credentials: 'include' };
  const headers = { accept, authorization: `Bearer ${token}` };
  return 'credentials' in Request.prototype ? { headers, credentials: 'omit' } : { headers };
}

function parseResponse(response: Response, text: string): Success | DealSetsError {
  const { headers, ok, status } = response;
  const body = parseObject(text);
  if (ok && body?.['data'] !== undefined) return { data: body['data'], headers };
  if (ok) return invalidResponse(response, 'The response has no `data`.');
  const error = (body?.['error'] ?? {}) as { code?: unknown; message?: unknown };
  const code = typeof error.code === 'string' ? error.code : `http_${status}`;
  const message = typeof error.message === 'string' ? error.message : 'The request failed.';
  return new DealSetsError(`${message} (${code}, HTTP ${status})`, {
    code,
    status,
    requestId: headers.get(REQUEST_ID) ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get('Retry-After')),
  });
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

/** The error for a success response that breaks the contract. */
export function invalidResponse(
  { headers, status = 200 }: { readonly headers: Headers; readonly status?: number },
  message: string,
): DealSetsError {
  return new DealSetsError(message, {
    code: 'invalid_response',
    status,
    requestId: headers.get(REQUEST_ID) ?? undefined,
  });
}
