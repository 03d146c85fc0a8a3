import fc from 'fast-check';
import { SlidingLog } from './sliding-log.js';

const WINDOW_MS = 60_000;

const key = (id: number): string => `session ${id}`;

/** The definition: a list of all hits of a key. */
class NaiveLog {
  readonly #hits = new Map<number, number[]>();

  admit(id: number, limit: number, nowMs: number): { isAdmitted: boolean; retryAfterMs: number } {
    const hits = (this.#hits.get(id) ?? []).filter((time) => time + WINDOW_MS > nowMs);
    const isAdmitted = hits.length < limit;
    if (isAdmitted) hits.push(nowMs);
    this.#hits.set(id, hits);
    return { isAdmitted, retryAfterMs: isAdmitted ? 0 : (hits[0] ?? 0) + WINDOW_MS - nowMs };
  }
}

const calls = fc.array(
  fc.record({
    id: fc.integer({ min: 0, max: 40 }),
    pauseMs: fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 300 }) },
      { weight: 1, arbitrary: fc.constantFrom(0, WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1) },
    ),
  }),
  { maxLength: 4000, size: 'max' },
);

describe('SlidingLog', () => {
  it('decides every hit as the definition does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), calls, (limit, hits) => {
        const log = new SlidingLog(WINDOW_MS);
        const naive = new NaiveLog();
        let nowMs = 0;
        const decided = [];
        const expected = [];
        for (const { id, pauseMs } of hits) {
          nowMs += pauseMs;
          const { isAdmitted, retryAfterMs } = log.admit(key(id), limit, nowMs);
          decided.push({ isAdmitted, retryAfterMs });
          expected.push(naive.admit(id, limit, nowMs));
        }
        expect(decided).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('admits exactly the limit of a burst and returns the wait to the millisecond', () => {
    const log = new SlidingLog(WINDOW_MS);
    for (let hit = 1; hit <= 120; hit += 1) {
      expect(log.admit(key(1), 120, 1000 + hit)).toEqual({
        isAdmitted: true,
        hits: hit,
        retryAfterMs: 0,
      });
    }
    expect(log.admit(key(1), 120, 2000)).toEqual({
      isAdmitted: false,
      hits: 120,
      retryAfterMs: 59_001,
    });
    expect(log.admit(key(2), 120, 2000).isAdmitted).toBe(true);
    expect(log.admit(key(1), 120, 2000 + 59_001).isAdmitted).toBe(true);
  });

  it('does not count refused hits', () => {
    const log = new SlidingLog(WINDOW_MS);
    for (let hit = 0; hit < 3; hit += 1) log.admit(key(1), 3, hit);
    for (let nowMs = 10; nowMs < WINDOW_MS; nowMs += 10) {
      expect(log.admit(key(1), 3, nowMs).isAdmitted).toBe(false);
    }
    expect(log.admit(key(1), 3, WINDOW_MS).isAdmitted).toBe(true);
  });

  it('never admits more than the limit in any window', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 50, maxLength: 500 }),
        (pauses) => {
          const log = new SlidingLog(WINDOW_MS);
          const admitted: number[] = [];
          let nowMs = 0;
          for (const pauseMs of pauses) {
            nowMs += pauseMs;
            if (log.admit(key(1), 10, nowMs).isAdmitted) admitted.push(nowMs);
          }
          for (let index = 10; index < admitted.length; index += 1) {
            expect(admitted[index]! - admitted[index - 10]!).toBeGreaterThanOrEqual(WINDOW_MS);
          }
        },
      ),
    );
  });

  it('returns the wait until the limit of the call admits a hit', () => {
    const log = new SlidingLog(WINDOW_MS);
    for (const nowMs of [100, 200, 300]) log.admit(key(1), 3, nowMs);
    const { retryAfterMs } = log.admit(key(1), 1, 400);
    expect(log.admit(key(1), 1, 400 + retryAfterMs - 1).isAdmitted).toBe(false);
    expect(log.admit(key(1), 1, 400 + retryAfterMs).isAdmitted).toBe(true);
  });

  it('drops expired keys', () => {
    const log = new SlidingLog(WINDOW_MS);
    for (let id = 0; id < 100_000; id += 1) log.admit(key(id), 2, id / 1000);
    for (let id = 0; id < 100_000; id += 1) log.admit(key(id), 2, 200 + id / 1000);
    expect(log.size).toBe(100_000);
    for (let id = 0; id < 100_000; id += 997) {
      expect(log.admit(key(id), 2, 400).isAdmitted).toBe(false);
    }
    expect(log.admit(key(5), 2, 2 * WINDOW_MS).hits).toBe(1);
    expect(log.size).toBe(1);
  });
});
