/**
 * What one read of the feed found, in one snapshot. All times are milliseconds since 1970, by the
 * database's clock.
 */
export interface FeedSnapshot {
  /** The clock when the read began. */
  readonly readAtMs: number;
  /**
   * True if, when the read began, no open transaction had stamped requests of this buyer. Always
   * false on a replica.
   */
  readonly isQuiet: boolean;
  /** The newest stamp among the page's entries; null on an empty page. */
  readonly lastFeedAtMs: number | null;
  readonly hasMore: boolean;
  /** The newest stamp of the buyer that the read could see; null when the buyer has no request. */
  readonly newestMs: number | null;
}

/**
 * While more entries remain, the margin limits the result only if `since` is more than this number
 * of milliseconds before the margin. The limit can repeat entries, which costs an additional page;
 * this threshold allows at most one such page per period of this length.
 */
const CATCH_UP_MS = 1000;

/**
 * A stamp further ahead of the read than this, in milliseconds, was written before the clock was
 * set back.
 */
const AHEAD_OF_CLOCK_MS = 100;

/**
 * Returns the `since` for the next call, in milliseconds since 1970: every entry with an earlier
 * stamp is returned by this call or the next one.
 *
 * - More remains: the last stamp of the page. Entries with the same stamp are on the page.
 * - No writer was active: the clock when the read began, because a later writer stamps after it.
 * - A writer was active, or the server is a replica, where active writers cannot be detected: the
 *   newest visible stamp, because every later stamp is above it.
 *
 * The result is normally at least `marginMs`, and at least one millisecond, before the read. This
 * covers stamps within the same millisecond, stamps between the call and the read, and a clock that
 * is set back slightly. While more entries remain, these limits must not prevent progress:
 *
 * - If `since` is close to the margin (`CATCH_UP_MS`) or within it, only the millisecond applies.
 * - If `since` itself is at most one millisecond before the read, or the last stamp is so far ahead
 *   of the read that the clock must have been set back, the result is the last stamp of the page.
 *
 * The result is never before `since`, unless `since` is in the future.
 */
export function serviceAsOf(sinceMs: number, snapshot: FeedSnapshot, marginMs: number): number {
  const { readAtMs, isQuiet, lastFeedAtMs, hasMore, newestMs } = snapshot;
  const latest = readAtMs - Math.max(1, marginMs);
  if (hasMore && lastFeedAtMs !== null) {
    if (lastFeedAtMs > readAtMs + AHEAD_OF_CLOCK_MS) return lastFeedAtMs;
    const cap = sinceMs < latest - CATCH_UP_MS ? latest : readAtMs - 1;
    return sinceMs < cap ? Math.min(lastFeedAtMs, cap) : lastFeedAtMs;
  }
  const asOf = isQuiet ? latest : Math.min(newestMs ?? 0, latest);
  return sinceMs <= readAtMs ? Math.max(asOf, sinceMs) : asOf;
}

/**
 * Returns the `since` for the next call after a last page whose replies could not be looked up: the
 * request's own `since`, so that the same entries are returned again and the next poll reports the
 * replies. A `since` after the read is not repeated, because it would hide changes until that time.
 */
export function asOfToRepeat(sinceMs: number, snapshot: FeedSnapshot, marginMs: number): number {
  const isRepeatable = !snapshot.hasMore && sinceMs <= snapshot.readAtMs;
  return isRepeatable ? sinceMs : serviceAsOf(sinceMs, snapshot, marginMs);
}
