/** What a read of the feed saw, in one snapshot. All times are milliseconds since 1970, by the database's clock. */
export interface FeedSnapshot {
  /** The clock when the read began. */
  readonly readAtMs: number;
  /** No writer of this buyer was between its stamp and its commit when the read began. Never on a replica. */
  readonly isQuiet: boolean;
  /** The newest stamp among the page's entries; null on an empty page. */
  readonly lastFeedAtMs: number | null;
  readonly hasMore: boolean;
  /** The newest stamp of the buyer that the read could see; null when she has no request. */
  readonly newestMs: number | null;
}

/** A last time of a page that is later than the margin allows costs one page more, and at most one in this time. */
const CATCH_UP_MS = 1000;

/** A stamp further ahead of the read than this comes from before the clock was set back. */
const AHEAD_OF_CLOCK_MS = 100;

/**
 * The time to pass as `since` on the next call: no entry that neither call returns can ever carry an earlier stamp.
 *
 * - More remains: the last stamp of the page. Entries with the same stamp are on the page.
 * - No writer was active: a later writer stamps after the clock we read, so the clock is safe.
 * - A writer was active, or this is a replica, which cannot know: every later stamp is above the newest visible one.
 *
 * It is a margin, at least a millisecond, behind the read: for stamps within the clock's own millisecond or between the
 * call and the read, and a clock that is set back a little. The last stamp of a page may lie within the margin, where it
 * is needed for progress, but is still capped at a millisecond before the read. Two exceptions make progress: `since`
 * itself is as late, or the stamp lies so far ahead that the clock must have been set back. Never before `since` unless
 * that lies in the future.
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
 * Takes the place of `serviceAsOf` after a last page whose replies could not be looked up: the request's own `since`, so
 * that its entries come again and the next poll reports the replies. A `since` after the read is not repeated: it would
 * hide what happens until then.
 */
export function asOfToRepeat(sinceMs: number, snapshot: FeedSnapshot, marginMs: number): number {
  const isRepeatable = !snapshot.hasMore && sinceMs <= snapshot.readAtMs;
  return isRepeatable ? sinceMs : serviceAsOf(sinceMs, snapshot, marginMs);
}
