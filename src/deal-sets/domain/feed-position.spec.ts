import fc from 'fast-check';
import { serviceAsOf, type FeedSnapshot } from './feed-position.js';

const snapshot: FeedSnapshot = {
  readAtMs: 100_000,
  isQuiet: true,
  lastFeedAtMs: 90_000,
  hasMore: false,
  newestMs: 90_000,
};

describe('serviceAsOf', () => {
  it('is the edge of the page while more remains', () => {
    expect(serviceAsOf(50_000, { ...snapshot, hasMore: true }, 1000)).toBe(90_000);
  });

  it('stays a margin behind the read also at a page edge, as long as that is progress', () => {
    const fresh = { ...snapshot, hasMore: true, lastFeedAtMs: 99_500 };
    expect(serviceAsOf(50_000, fresh, 1000)).toBe(99_000);
    expect(serviceAsOf(97_999, fresh, 1000)).toBe(99_000);
    expect(serviceAsOf(98_000, fresh, 1000)).toBe(99_500);
  });

  it('stays behind the clock when no writer was active', () => {
    expect(serviceAsOf(50_000, snapshot, 1000)).toBe(99_000);
  });

  it('stays at least a millisecond behind the clock with any margin', () => {
    expect(serviceAsOf(50_000, snapshot, 0)).toBe(99_999);
  });

  it('stays at the newest visible stamp while a writer is active', () => {
    expect(serviceAsOf(50_000, { ...snapshot, isQuiet: false }, 1000)).toBe(90_000);
  });

  it('stays a margin behind the read when the newest visible stamp is fresh', () => {
    expect(serviceAsOf(50_000, { ...snapshot, isQuiet: false, newestMs: 99_999 }, 1000)).toBe(
      99_000,
    );
  });

  it('stays at since while a writer creates the first request', () => {
    expect(
      serviceAsOf(
        50_000,
        { ...snapshot, isQuiet: false, lastFeedAtMs: null, newestMs: null },
        1000,
      ),
    ).toBe(50_000);
  });

  it('is near now for a since in the future', () => {
    expect(serviceAsOf(500_000, { ...snapshot, lastFeedAtMs: null }, 1000)).toBe(99_000);
  });

  const readings = fc.record({
    readAtMs: fc.integer({ min: 0, max: 1000 }),
    isQuiet: fc.boolean(),
    lastFeedAtMs: fc.option(fc.integer({ min: 0, max: 1200 }), { nil: null }),
    hasMore: fc.constant(false),
    newestMs: fc.option(fc.integer({ min: 0, max: 1200 }), { nil: null }),
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

  it('always makes progress while more remains, to an edge that was read and no further', () => {
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
