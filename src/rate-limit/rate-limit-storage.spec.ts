import { setTimeout as pause } from 'node:timers/promises';
import { ThrottlerStorageService } from '@nestjs/throttler';
import { Log } from '../observability/logger.js';
import { Metrics, MetricsRegistry } from '../observability/metrics.js';
import { FallbackStorage, RateLimitStorage, type ThrottlerRecord } from './rate-limit-storage.js';

/** Shared counters that a test takes away. */
class Shared extends RateLimitStorage {
  state: 'answers' | 'fails' | 'hangs' | 'is odd' = 'answers';
  calls = 0;
  signal: AbortSignal | undefined;
  readonly #own = new ThrottlerStorageService();

  override increment(
    ...[key, ttl, limit, block, name, signal]: Parameters<RateLimitStorage['increment']>
  ): Promise<ThrottlerRecord> {
    this.calls += 1;
    this.signal = signal;
    if (this.state === 'fails') return Promise.reject(new Error('lost'));
    if (this.state === 'hangs') return new Promise(() => undefined);
    if (this.state === 'is odd') return Promise.resolve({ totalHits: 1 } as ThrottlerRecord);
    return this.#own.increment(key, ttl, limit, block, name);
  }
}

describe('shared counters with a reserve', () => {
  let shared: Shared;
  let metrics: Metrics;
  let lines: string[];
  let storage: FallbackStorage;

  beforeEach(() => {
    shared = new Shared();
    metrics = new Metrics(new MetricsRegistry());
    lines = [];
    const log = new Log('info', { write: (line: string) => void lines.push(line) });
    storage = new FallbackStorage(shared, new ThrottlerStorageService(), log, metrics);
  });

  function hit(): Promise<ThrottlerRecord> {
    return storage.increment('session 1', 60_000, 2, 0, 'default');
  }

  async function metric(name: string): Promise<number | undefined> {
    const { values } = (await metrics.registry.getSingleMetric(name)!.get()) as {
      values: { value: number }[];
    };
    return values[0]?.value;
  }

  it('counts in the shared ones while they answer', async () => {
    expect((await hit()).totalHits).toBe(1);
    expect(shared.calls).toBe(1);
    expect(await metric('deal_sets_rate_limit_shared_up')).toBe(1);
  });

  it.each(['fails', 'hangs', 'is odd'] as const)(
    'counts in the process, in time, when the shared one %s',
    async (state) => {
      shared.state = state;
      const startedAt = performance.now();
      const blocked = [];
      for (let call = 0; call < 4; call += 1) blocked.push((await hit()).isBlocked);
      expect(blocked).toEqual([false, false, true, true]);
      // One wait, not four: the others do not ask again so soon.
      expect(performance.now() - startedAt).toBeLessThan(1000);
      expect(shared.calls).toBe(1);
      expect(await metric('deal_sets_rate_limit_fallbacks_total')).toBe(4);
      expect(await metric('deal_sets_rate_limit_shared_up')).toBe(0);
      expect(lines).toHaveLength(1);
    },
  );

  it('tries the shared ones with one call at a time, and takes them up again alone', async () => {
    shared.state = 'hangs';
    await hit();
    expect(shared.signal?.aborted).toBe(true);
    await pause(1050);
    await Promise.all([hit(), hit(), hit()]);
    expect(shared.calls).toBe(2);
    shared.state = 'answers';
    await pause(1350);
    expect((await hit()).totalHits).toBe(1);
    expect((await hit()).totalHits).toBe(2);
    expect(await metric('deal_sets_rate_limit_shared_up')).toBe(1);
    expect(lines).toHaveLength(2);
  });
});
