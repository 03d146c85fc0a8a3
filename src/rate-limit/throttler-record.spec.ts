import { throttlerRecord } from './throttler-record.js';

function waitOf(retryAfterMs: number, windowMs = 60_000): number {
  return throttlerRecord({ isAdmitted: false, hits: 120, retryAfterMs }, windowMs)
    .timeToBlockExpire;
}

describe('throttlerRecord', () => {
  it.each([
    [0.1, 1],
    [997, 1],
    [998.5, 2],
    [1_000, 2],
    [58_999.2, 60],
    [59_997, 60],
  ])(
    'returns a wait for %d ms that is enough for a timer that fires early',
    (neededMs, seconds) => {
      expect(waitOf(neededMs)).toBe(seconds);
    },
  );

  it('returns no wait longer than the window', () => {
    expect(waitOf(59_999.9)).toBe(60);
    expect(waitOf(60_000)).toBe(60);
    expect(waitOf(300, 300)).toBe(1);
  });

  it('returns no wait for an admitted hit', () => {
    const record = throttlerRecord({ isAdmitted: true, hits: 3, retryAfterMs: 0 }, 60_000);
    expect(record).toMatchObject({ isBlocked: false, timeToBlockExpire: 0, totalHits: 3 });
  });
});
