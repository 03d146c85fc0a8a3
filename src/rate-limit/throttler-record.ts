import type { ThrottlerRecord } from './rate-limit-storage.js';

/**
 * The time that is added to a reported wait, because timers of clients may fire up to a millisecond
 * early, as those of Node do, and because the speed of clocks differs slightly.
 */
const CLOCK_TOLERANCE_MS = 2;

/** The outcome of a hit in a sliding log. */
interface Hit {
  readonly isBlocked: boolean;
  /** The hits in the window, including this one. */
  readonly totalHits: number;
  /** Milliseconds until a hit with the same limit is admitted; for a rejected hit alone. */
  readonly waitMs: number;
}

/** Returns a time in whole seconds, rounded up and at least 1. */
export function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

/** Returns the record of a hit, as `RateLimitStorage` promises it. */
export function throttlerRecord(
  { isBlocked, totalHits, waitMs }: Hit,
  windowMs: number,
): ThrottlerRecord {
  const timeToExpire = wholeSeconds(windowMs);
  const wait = wholeSeconds(waitMs + CLOCK_TOLERANCE_MS);
  return {
    totalHits,
    timeToExpire,
    isBlocked,
    timeToBlockExpire: isBlocked ? Math.min(wait, timeToExpire) : 0,
  };
}
