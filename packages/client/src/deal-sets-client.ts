import { DealSetsError } from './deal-sets-error.js';
import { entryKey, RepeatFilter } from './entries.js';
import type { CallOptions, DealSetsClientOptions, PollOptions } from './options.js';
import {
  responsePromise,
  type ResponseDetails,
  type ResponsePromise,
  type WithResponse,
} from './response-promise.js';
import { backOffMs, wait } from './retry.js';
import {
  assertRetries,
  invalidResponse,
  Transport,
  type SendOptions,
  type Success,
} from './transport.js';
import type { DealSetResult, ListEntry, ListResult, PollBatch, ReadAllResult } from './types.js';

const PATH = '/api/v1/deal-sets';
const BEGINNING = '1970-01-01T00:00:00Z';

interface KnownEntries {
  readonly byKey: (readonly [key: string, entry: ListEntry])[];
  readonly skipped: number;
}

interface SincePage extends KnownEntries {
  readonly asOf: string;
  readonly more: boolean;
  readonly response: ResponseDetails;
}

/**
 * Reads a buyer's requests: as an assistant with an access token, or in the buyer's browser with
 * the session cookie.
 *
 * Temporary failures are retried. After 429, 502, 503 and 504, the client waits as long as
 * `Retry-After` requires; without that header, and after a lost or late response, it backs off for
 * 0.5 to 8 seconds. On 401, it calls `accessToken` once more. After any other failed response, the
 * call rejects at once with a `DealSetsError`.
 */
export class DealSetsClient {
  readonly #transport: Transport;
  readonly #maxRetries: number;

  /** @throws {TypeError} for an invalid `baseUrl` or `maxRetries`. */
  constructor(options: DealSetsClientOptions) {
    this.#transport = new Transport(options);
    this.#maxRetries = options.maxRetries ?? 5;
  }

  /**
   * Returns the active requests: at most 12 deal sets, and the 25 newest requests to one
   * dealership.
   */
  list(options: CallOptions = {}): ResponsePromise<ListResult> {
    return responsePromise(this.#list(options));
  }

  /**
   * Returns one deal set with its ranked results, or null if the service itself (not a gateway)
   * responds `not_found`.
   */
  get(id: string, options: CallOptions = {}): ResponsePromise<DealSetResult | null> {
    return responsePromise(this.#get(id, options));
  }

  /**
   * Returns every request, including ended ones: the newest entry of each kind and id, sorted by
   * time of change, oldest first. `withResponse` returns the response of the last page.
   */
  readAll(options: CallOptions = {}): ResponsePromise<ReadAllResult> {
    return responsePromise(this.#readAll(options));
  }

  /**
   * Yields the changes after `since` without end, one batch for each page. While more remains, the
   * next page is requested at once, otherwise after `everyMs`. An entry that is received again
   * unchanged is not yielded again. Save `batch.asOf` after you have handled the batch: a poll that
   * resumes from it skips nothing.
   *
   * The iteration ends when the signal aborts, and throws on permanent failures. If the address has
   * never responded, the iteration throws after `maxRetries` of the poll or else of the client.
   */
  async *poll(options: PollOptions = {}): AsyncGenerator<PollBatch, void, void> {
    const { signal, everyMs = 30_000, maxRetries = Infinity } = options;
    const retries = { maxRetries, unreachedRetries: options.maxRetries ?? this.#maxRetries };
    if (!(everyMs >= 0)) throw new TypeError('everyMs must be a number of milliseconds, 0 or more');
    assertRetries(maxRetries);
    const filter = new RepeatFilter();
    let since = options.since ?? BEGINNING;
    try {
      while (!signal?.aborted) {
        const page = await this.#since(since, { signal, ...retries });
        const { skipped, asOf, more, response } = page;
        const news = page.byKey.filter(([key, entry]) => filter.isNews(key, entry));
        yield { entries: news.map(([, entry]) => entry), skipped, since, asOf, more, response };
        if (!more || asOf === since) await wait(everyMs, signal);
        since = asOf;
      }
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    }
  }

  async #list({ signal }: CallOptions): Promise<WithResponse<ListResult>> {
    const { data, response } = await this.#send(PATH, signal);
    const { byKey, skipped } = knownEntries(data, response);
    const entries = byKey.map(([, entry]) => entry);
    return { data: { entries, skipped, more: readMore(response) }, response };
  }

  async #get(id: string, { signal }: CallOptions): Promise<WithResponse<DealSetResult | null>> {
    try {
      const { data, response } = await this.#send(`${PATH}/${encodeURIComponent(id)}`, signal);
      return { data: data as DealSetResult, response };
    } catch (error) {
      if (!(error instanceof DealSetsError) || error.code !== 'not_found') throw error;
      const { status, requestId, headers = new Headers() } = error;
      return { data: null, response: { status, requestId, headers } };
    }
  }

  async #readAll({ signal }: CallOptions): Promise<WithResponse<ReadAllResult>> {
    const entries = new Map<string, ListEntry>();
    let skipped = 0;
    let stalled = 0;
    for (let since = BEGINNING; ;) {
      const page = await this.#since(since, { signal, maxRetries: this.#maxRetries });
      skipped += page.skipped;
      for (const [key, entry] of page.byKey) {
        // Delete the old entry first, so that the new one is inserted at the end.
        entries.delete(key);
        entries.set(key, entry);
      }
      if (!page.more) {
        const data = { entries: [...entries.values()], skipped, asOf: page.asOf };
        return { data, response: page.response };
      }
      // The service also sends `more` when it is uncertain: wait, then request the same time again.
      if (page.asOf !== since) stalled = 0;
      else if (stalled >= this.#maxRetries)
        throw invalidResponse(page.response, 'The pages do not advance.');
      else await wait(backOffMs(stalled++), signal);
      since = page.asOf;
    }
  }

  #send(path: string, signal: AbortSignal | undefined): Promise<Success> {
    return this.#transport.send(path, { signal, maxRetries: this.#maxRetries });
  }

  async #since(since: string, options: SendOptions): Promise<SincePage> {
    const path = `${PATH}?since=${encodeURIComponent(since)}`;
    const { data, response } = await this.#transport.send(path, options);
    const asOf = response.headers.get('Service-As-Of');
    if (!asOf) throw invalidResponse(response, 'The response has no Service-As-Of.');
    return { ...knownEntries(data, response), asOf, more: readMore(response), response };
  }
}

/**
 * Selects the entries of known kinds with their keys. Fields that the types do not contain are
 * kept.
 */
function knownEntries(data: unknown, response: ResponseDetails): KnownEntries {
  if (!Array.isArray(data))
    throw invalidResponse(response, 'The response’s `data` is not an array.');
  const byKey = data.flatMap((entry: unknown) => {
    const key = entryKey(entry);
    return key === undefined ? [] : [[key, entry as ListEntry] as const];
  });
  return { byKey, skipped: data.length - byKey.length };
}

function readMore(response: ResponseDetails): boolean {
  const more = response.headers.get('Service-More');
  if (more === 'true') return true;
  if (more === 'false') return false;
  throw invalidResponse(response, 'The response has no Service-More.');
}
