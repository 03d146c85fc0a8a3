/** What a read of the feed saw. All times are milliseconds since 1970, by the database's clock. */
export interface FeedReading {
  /** The clock when the read began. */
  readonly readAtMs: number;
  /** No writer of this buyer stood between its stamp and its commit when the read began. Never on a replica. */
  readonly isQuiet: boolean;
  /** The newest stamp among the page's entries; null on an empty page. */
  readonly pageEdgeMs: number | null;
  readonly hasMore: boolean;
  /** The newest stamp of the buyer that the read could see; null when she has no request. */
  readonly newestMs: number | null;
}

/**
 * The time to pass as `since` on the next call: no entry that this read did not return, and that is
 * not returned by that call, can ever carry an earlier stamp.
 *
 * - More remains: the page's edge. Entries tied with it are on the page.
 * - The buyer was quiet: whoever writes later stamps after the clock we read, so the clock is safe; the
 *   margin, at least a millisecond, covers stamps within the clock's own millisecond and a clock that
 *   is set back a little.
 * - A writer was at work, or this is a replica that cannot know: every stamp still to come lies above
 *   the newest that is visible, so that one is safe.
 *
 * It is never after the read began (but for a page's edge, which progress needs), and never before
 * `since` unless `since` lies in the future.
 */
export function serviceAsOf(sinceMs: number, reading: FeedReading, marginMs: number): number {
  if (reading.hasMore && reading.pageEdgeMs !== null) return reading.pageEdgeMs;
  const safe = reading.isQuiet ? reading.readAtMs - Math.max(1, marginMs) : (reading.newestMs ?? 0);
  const asOf = Math.min(safe, reading.readAtMs);
  return sinceMs <= reading.readAtMs ? Math.max(asOf, sinceMs) : asOf;
}
