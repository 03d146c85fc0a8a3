import { DealSetsError } from './deal-sets-error.js';
import { entryKey, RepeatFilter } from './entries.js';
import type { CallOptions, DealSetsClientOptions, PollOptions } from './options.js';
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
  readonly headers: Headers;
}

/**
 * Reads a buyer's requests: as an assistant with an access token, or in the buyer's browser with
 * its cookie.
 *
 * Temporary failures are retried: 429 after `Retry-After`; 503, 502 and 504 after `Retry-After` or
 * else a back-off of 0.5 to 8 seconds; lost or late responses after the back-off. On 401 the access
 * token is requested once more. Every other failure rejects at once with a `DealSetsError`.
 */
export class DealSetsClient {
  readonly #transport: Transport;
  readonly #maxRetries: number;

  constructor(options: DealSetsClientOptions) {
    this.#transport = new Transport(options);
    this.#maxRetries = options.maxRetries ?? 5;
  }

  /** The active requests: at most 12 deal sets and the 25 newest requests to one dealership. */
  async list({ signal }: CallOptions = {}): Promise<ListResult> {
    const response = await this.#send(PATH, signal);
    const { byKey, skipped } = knownEntries(response);
    return { entries: byKey.map(([, entry]) => entry), skipped, more: readMore(response) };
  }

  /**
   * Returns one deal set with its ranked results; null when the service itself responds
   * `not_found`, as opposed to a gateway.
   */
  async get(id: string, { signal }: CallOptions = {}): Promise<DealSetResult | null> {
    try {
      const { data } = await this.#send(`${PATH}/${encodeURIComponent(id)}`, signal);
      return data as DealSetResult;
    } catch (error) {
      if (error instanceof DealSetsError && error.code === 'not_found') return null;
      throw error;
    }
  }

  /**
   * Every request, ended ones included: the newest entry of each kind and id, oldest change first.
   */
  async readAll({ signal }: CallOptions = {}): Promise<ReadAllResult> {
    const entries = new Map<string, ListEntry>();
    let skipped = 0;
    let stalled = 0;
    for (let since = BEGINNING; ;) {
      const page = await this.#since(since, { signal, maxRetries: this.#maxRetries });
      skipped += page.skipped;
      for (const [key, entry] of page.byKey) {
        // Removed first, so that the entry moves to its new position.
        entries.delete(key);
        entries.set(key, entry);
      }
      if (!page.more) return { entries: [...entries.values()], skipped, asOf: page.asOf };
      // The service also returns `more` when it cannot be sure; then the same time is requested
      // again, later.
      if (page.asOf !== since) stalled = 0;
      else if (stalled >= this.#maxRetries)
        throw invalidResponse(page, 'The pages do not advance.');
      else await wait(backOffMs(stalled++), signal);
      since = page.asOf;
    }
  }

  /**
   * Follows the changes after `since`, one batch per page, without end. Pages follow at once while
   * more remains, then every `everyMs`. An entry that is sent again unchanged is not yielded again.
   * Save `batch.asOf` after the batch has been handled: a poll that resumes from it skips nothing.
   *
   * The iteration ends when the signal aborts, and throws on permanent failures. An address from
   * which no response ever came fails after the client's `maxRetries`.
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
        const { byKey, skipped, asOf, more } = await this.#since(since, { signal, ...retries });
        const news = byKey.filter(([key, entry]) => filter.isNews(key, entry));
        yield { entries: news.map(([, entry]) => entry), skipped, since, asOf, more };
        if (!more || asOf === since) await wait(everyMs, signal);
        since = asOf;
      }
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    }
  }

  #send(path: string, signal: AbortSignal | undefined): Promise<Success> {
    return this.#transport.send(path, { signal, maxRetries: this.#maxRetries });
  }

  async #since(since: string, options: SendOptions): Promise<SincePage> {
    const path = `${PATH}?since=${encodeURIComponent(since)}`;
    const response = await this.#transport.send(path, options);
    const asOf = response.headers.get('Service-As-Of');
    if (!asOf) throw invalidResponse(response, 'The response has no Service-As-Of.');
    const { headers } = response;
    return { ...knownEntries(response), asOf, more: readMore(response), headers };
  }
}

/**
 * Selects the entries of known kinds with their keys. Fields that the types do not contain are
 * kept.
 */
function knownEntries(response: Success): KnownEntries {
  const { data } = response;
  if (!Array.isArray(data)) throw invalidResponse(response, 'The response’s `data` is no array.');
  const byKey = data.flatMap((entry: unknown) => {
    const key = entryKey(entry);
    return key === undefined ? [] : [[key, entry as ListEntry] as const];
  });
  return { byKey, skipped: data.length - byKey.length };
}

function readMore(response: Success): boolean {
  const more = response.headers.get('Service-More');
  if (more === 'true') return true;
  if (more === 'false') return false;
  throw invalidResponse(response, 'The response has no Service-More.');
}
