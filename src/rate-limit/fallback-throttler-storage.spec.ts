import { TimeLimits } from '../kernel/time-limits.js';
import { JsonLogger } from '../observability/json-logger.js';
import { JoinedMetrics, Metrics } from '../observability/metrics.js';
import { FallbackThrottlerStorage } from './fallback-throttler-storage.js';
import { InProcessStorage } from './in-process-storage.js';
import type { RateLimitStorage, ThrottlerRecord } from './rate-limit-storage.js';

/** `test/api/failures/redis.spec.ts` tests real faults, their metrics and the recovery. */
describe('shared counters with a fallback', () => {
  const shared = new InProcessStorage();
  const increment = jest.spyOn(shared as RateLimitStorage, 'increment');
  const realNow = performance.now.bind(performance);
  let skippedMs = 0;
  let lines: string[];
  let storage: FallbackThrottlerStorage;

  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + skippedMs);
    increment.mockReset();
    lines = [];
    const log = new JsonLogger('info', { write: (line: string) => void lines.push(line) });
    const metrics = new Metrics(new JoinedMetrics());
    storage = new FallbackThrottlerStorage(
      shared,
      new InProcessStorage(),
      log,
      metrics,
      new TimeLimits(),
    );
  });
  afterAll(() => jest.restoreAllMocks());

  const hit = (): Promise<ThrottlerRecord> =>
    storage.increment('session 1', 60_000, 2, 0, 'default');
  const none = { totalHits: 9, timeToExpire: 1, isBlocked: false, timeToBlockExpire: 0 };

  it.each<[string, Promise<unknown>]>([
    ['fail', Promise.reject(new Error('lost'))],
    ['hang', new Promise(() => undefined)],
    ['return an incomplete record', Promise.resolve({ totalHits: 1 })],
  ])(
    'counts in the process, after one wait, when the shared counters %s',
    async (_what, outcome) => {
      outcome.catch(() => undefined);
      increment.mockReturnValue(outcome as never);
      const blocked: boolean[] = [];
      for (let call = 0; call < 4; call += 1) blocked.push((await hit()).isBlocked);
      expect(blocked).toEqual([false, false, true, true]);
      expect(increment).toHaveBeenCalledTimes(1);
      expect(lines).toHaveLength(1);
    },
  );

  it('retries the shared counters with one call at a time and a limit, and uses them again', async () => {
    increment.mockReturnValue(new Promise(() => undefined));
    await hit();
    const signal = (increment.mock.calls[0] as unknown[]).at(-1) as AbortSignal;
    expect(signal.aborted).toBe(true);
    skippedMs += 1_001;
    await Promise.all([hit(), hit(), hit()]);
    expect(increment).toHaveBeenCalledTimes(2);
    skippedMs += 1_001;
    increment.mockResolvedValue(none);
    expect(await hit()).toBe(none);
    expect(await hit()).toBe(none);
    expect(lines).toHaveLength(2);
  });
});
