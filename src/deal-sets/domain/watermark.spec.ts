import fc from 'fast-check';
import { asOfToRepeat, serviceAsOf, type FeedSnapshot } from './watermark.js';

const snapshot: FeedSnapshot = {
  readAtMs: 100_000,
  isQuiet: true,
  lastFeedAtMs: 90_000,
  hasMore: false,
  newestMs: 90_000,
};

const active = { isQuiet: false };
const page = { hasMore: true };

describe('serviceAsOf', () => {
  it.each<[string, number, Partial<FeedSnapshot>, number, number]>([
    ['is the edge of the page while more remains', 50_000, page, 1000, 90_000],
    [
      'stays a margin behind the read when the edge is within the margin',
      50_000,
      { ...page, lastFeedAtMs: 99_500 },
      1000,
      99_000,
    ],
    [
      'stays a margin behind the read while that is more than a second after since',
      97_999,
      { ...page, lastFeedAtMs: 99_500 },
      1000,
      99_000,
    ],
    [
      'is the edge when the margin leaves at most a second after since',
      98_000,
      { ...page, lastFeedAtMs: 99_500 },
      1000,
      99_500,
    ],
    [
      'stays a millisecond before the read when the edge is after the read',
      98_500,
      { ...page, lastFeedAtMs: 100_003 },
      1000,
      99_999,
    ],
    [
      'stays a millisecond before the read when the edge is a tenth of a second after it',
      99_998,
      { ...page, lastFeedAtMs: 100_100 },
      0,
      99_999,
    ],
    [
      'is an edge after the read when since is a millisecond before the read',
      99_999,
      { ...page, lastFeedAtMs: 100_003 },
      1000,
      100_003,
    ],
    [
      'is an edge far ahead of a clock that was set back, so that paging goes on',
      50_000,
      { ...page, lastFeedAtMs: 100_101 },
      1000,
      100_101,
    ],
    ['stays behind the clock when no writer was active', 50_000, {}, 1000, 99_000],
    ['stays at least a millisecond behind the clock with any margin', 50_000, {}, 0, 99_999],
    ['stays at the newest visible stamp while a writer is active', 50_000, active, 1000, 90_000],
    [
      'stays a margin behind the read when the newest stamp is within the margin',
      50_000,
      { ...active, newestMs: 99_999 },
      1000,
      99_000,
    ],
    [
      'stays at since while a writer creates the first request',
      50_000,
      { ...active, lastFeedAtMs: null, newestMs: null },
      1000,
      50_000,
    ],
    [
      'is a margin behind the read for a since in the future',
      500_000,
      { lastFeedAtMs: null },
      1000,
      99_000,
    ],
  ])('%s', (_what, since, over, margin, expected) => {
    expect(serviceAsOf(since, { ...snapshot, ...over }, margin)).toBe(expected);
  });

  const readings = fc.record({
    readAtMs: fc.integer({ min: 0, max: 1000 }),
    isQuiet: fc.boolean(),
    lastFeedAtMs: fc.option(fc.integer({ min: 0, max: 1200 }), { nil: null }),
    hasMore: fc.constant(false),
    newestMs: fc.option(fc.integer({ min: 0, max: 1200 }), { nil: null }),
  });

  it('is before the read on a page with more, unless since or the clock allows no other progress', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1200 }),
        fc.integer({ min: 1, max: 1200 }),
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 0, max: 50 }),
        (sinceMs, ahead, readAtMs, margin) => {
          const lastFeedAtMs = sinceMs + ahead;
          fc.pre(sinceMs < readAtMs - 1 && lastFeedAtMs <= readAtMs + 100);
          const seen = { ...snapshot, ...page, readAtMs, lastFeedAtMs };
          expect(serviceAsOf(sinceMs, seen, margin)).toBeLessThan(readAtMs);
        },
      ),
    );
  });

  it('is never after the read began on a last page, and never before a since that is not in the future', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2000 }),
        readings,
        fc.integer({ min: 0, max: 50 }),
        (since, seen, margin) => {
          const asOf = serviceAsOf(since, seen, margin);
          expect(asOf).toBeLessThanOrEqual(seen.readAtMs);
          if (since <= seen.readAtMs) expect(asOf).toBeGreaterThanOrEqual(since);
        },
      ),
    );
  });

  it('always makes progress while more remains, and never past an edge that was read', () => {
    const pages = fc
      .tuple(fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 1, max: 3000 }), readings)
      .map(([sinceMs, ahead, seen]) => ({
        sinceMs,
        page: { ...seen, readAtMs: 3000, hasMore: true, lastFeedAtMs: sinceMs + ahead },
      }));
    fc.assert(
      fc.property(pages, fc.integer({ min: 0, max: 50 }), ({ sinceMs, page }, margin) => {
        const asOf = serviceAsOf(sinceMs, page, margin);
        expect(asOf).toBeGreaterThan(sinceMs);
        expect(asOf).toBeLessThanOrEqual(page.lastFeedAtMs);
      }),
    );
  });
});

describe('asOfToRepeat', () => {
  it.each<[string, number, Partial<FeedSnapshot>, number]>([
    ['is since on the last page', 50_000, {}, 50_000],
    ['is since while a writer is active', 50_000, active, 50_000],
    ['is since within the margin', 99_500, {}, 99_500],
    ['is the edge while more remains', 50_000, page, 90_000],
    [
      'is a margin behind the read for a since in the future',
      500_000,
      { newestMs: 600_000 },
      99_000,
    ],
  ])('%s', (_what, since, over, expected) => {
    expect(asOfToRepeat(since, { ...snapshot, ...over }, 1000)).toBe(expected);
  });
});
