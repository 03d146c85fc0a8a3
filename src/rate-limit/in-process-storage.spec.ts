import { InProcessStorage } from './in-process-storage.js';
import type { ThrottlerRecord } from './rate-limit-storage.js';

const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('counters of one process', () => {
  let storage: InProcessStorage;
  beforeEach(() => {
    jest.useFakeTimers();
    storage = new InProcessStorage();
  });
  afterEach(() => {
    storage.onApplicationShutdown();
    jest.useRealTimers();
  });

  const hit = (limit: number, key = 'session 1', ttlMs = WINDOW_MS): Promise<ThrottlerRecord> =>
    storage.increment(key, ttlMs, limit);

  /** Returns how many of this number of hits are admitted. */
  async function admittedOf(count: number, limit: number): Promise<number> {
    let admitted = 0;
    for (let call = 0; call < count; call += 1) if (!(await hit(limit)).isBlocked) admitted += 1;
    return admitted;
  }

  it('admit exactly the limit of a burst', async () => {
    expect(await admittedOf(121, 120)).toBe(120);
    expect((await hit(120)).isBlocked).toBe(true);
  });

  it('never admit more than the limit in any window', async () => {
    const limit = 5;
    const admittedAt: number[] = [];
    for (let elapsed = 0; elapsed < 4 * WINDOW_MS; elapsed += 1_700) {
      if (!(await hit(limit)).isBlocked) admittedAt.push(elapsed);
      jest.advanceTimersByTime(1_700);
    }
    expect(admittedAt.length).toBeGreaterThan(3 * limit);
    for (const [index, time] of admittedAt.entries()) {
      const nextWindow = admittedAt[index + limit] ?? Infinity;
      expect(nextWindow - time).toBeGreaterThanOrEqual(WINDOW_MS);
    }
  });

  it('admit a caller after the reported wait, even after further rejected hits', async () => {
    expect(await admittedOf(2, 2)).toBe(2);
    jest.advanceTimersByTime(20_500);
    const { timeToBlockExpire } = await hit(2);
    expect(timeToBlockExpire).toBe(40);
    for (let second = 0; second < timeToBlockExpire; second += 1) {
      expect((await hit(2)).isBlocked).toBe(true);
      jest.advanceTimersByTime(1_000);
    }
    expect(await admittedOf(3, 2)).toBe(2);
  });

  it('wait until enough hits have expired for the limit of the call', async () => {
    await hit(2);
    jest.advanceTimersByTime(10_000);
    await hit(2);
    expect((await hit(1)).timeToBlockExpire).toBe(60);
    expect((await hit(2)).timeToBlockExpire).toBe(51);
  });

  it('report the number of hits, and a wait only for a rejected one', async () => {
    const admitted = { timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 };
    expect(await hit(2)).toEqual({ totalHits: 1, ...admitted });
    expect(await hit(2)).toEqual({ totalHits: 2, ...admitted });
    const rejected = { timeToExpire: 60, isBlocked: true, timeToBlockExpire: 60 };
    expect(await hit(2)).toEqual({ totalHits: 3, ...rejected });
  });

  it.each([
    ['back', -HOUR_MS],
    ['forward', HOUR_MS],
  ])('ignore that the clock of the machine is set %s', async (_direction, stepMs) => {
    expect(await admittedOf(100, 120)).toBe(100);
    jest.setSystemTime(Date.now() + stepMs);
    expect(await admittedOf(40, 120)).toBe(20);
    expect((await hit(120)).timeToBlockExpire).toBe(60);
    jest.advanceTimersByTime(WINDOW_MS);
    expect(await admittedOf(140, 120)).toBe(120);
  });

  it('count each key separately', async () => {
    await hit(1);
    expect((await hit(1)).isBlocked).toBe(true);
    expect((await hit(1, 'session 2')).isBlocked).toBe(false);
  });

  it('remove the log of a key after the window of its newest hit', async () => {
    const remove = jest.spyOn(Map.prototype, 'delete');
    const removed = (): unknown[] =>
      remove.mock.calls
        .map(([key]: readonly unknown[]) => key)
        .filter((key) => key === 'session 1');
    await hit(1);
    jest.advanceTimersByTime(30_000);
    await hit(2);
    jest.advanceTimersByTime(WINDOW_MS - 1);
    expect(removed()).toEqual([]);
    jest.advanceTimersByTime(WINDOW_MS);
    expect(removed()).toEqual(['session 1']);
    remove.mockRestore();
  });

  it('do not keep the process alive', () => {
    jest.useRealTimers();
    const timer = jest.spyOn(globalThis, 'setInterval');
    const created = new InProcessStorage();
    const [sweep] = timer.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(sweep?.hasRef()).toBe(false);
    created.onApplicationShutdown();
    timer.mockRestore();
  });
});
