import {
  DealSetReads,
  callerOf,
  type Deadline,
  type DealSetRead,
  type ListCall,
  type ListRead,
  type LocaleResolver,
  type MetricsRegistry,
  type Principal,
} from '@deal-sets/service';
import { Counter } from 'prom-client';

const LOCALE_LIMIT_MS = 1_000;

/**
 * Keeps results in this process for a few seconds, with the values of their headers. The key
 * contains everything that a result depends on: the caller, the locale and the arguments of the
 * read. Errors are not kept.
 */
export class CachedReads extends DealSetReads {
  /** JSON texts, so that no caller can change a result that another call gets. Oldest first. */
  readonly #entries = new Map<string, { readonly json: string; readonly expiresAt: number }>();
  readonly #lookUps: Counter<'result'>;

  /** @param lifetimeMs how long a result is kept, in milliseconds. */
  constructor(
    private readonly reads: DealSetReads,
    private readonly locales: LocaleResolver,
    registry: MetricsRegistry,
    private readonly lifetimeMs: number,
  ) {
    super();
    this.#lookUps = new Counter({
      name: 'acme_cached_reads_total',
      help: 'Reads by the result of the look-up in the cache (hit or miss)',
      labelNames: ['result'],
      registers: [registry],
    });
  }

  override list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    return this.#cached(principal, ['list', call.sinceMs, call.pageSize], deadline, () =>
      this.reads.list(principal, call, deadline),
    );
  }

  override get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    return this.#cached(principal, ['get', id], deadline, () =>
      this.reads.get(principal, id, deadline),
    );
  }

  async #cached<Read extends ListRead | DealSetRead>(
    principal: Principal,
    call: readonly unknown[],
    { signal }: Deadline,
    read: () => Promise<Read>,
  ): Promise<Read> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOCALE_LIMIT_MS)]);
    const locale = await this.locales.resolve(principal, limit);
    const key = JSON.stringify([callerOf(principal), locale, call]);
    this.#removeExpired();
    const entry = this.#entries.get(key);
    this.#lookUps.inc({ result: entry ? 'hit' : 'miss' });
    if (entry) return JSON.parse(entry.json) as Read;
    const result = await read();
    // A parallel read of the same key may have stored an entry; the new one belongs at the end.
    this.#entries.delete(key);
    const expiresAt = performance.now() + this.lifetimeMs;
    this.#entries.set(key, { json: JSON.stringify(result), expiresAt });
    return result;
  }

  #removeExpired(): void {
    const now = performance.now();
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) break;
      this.#entries.delete(key);
    }
  }
}
