import type { PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts, RequestFacts } from '../domain/facts.js';
import type { FeedSnapshot } from '../domain/feed-position.js';

/** The buyer's active requests, newest first: deal sets, then single requests. */
export interface ActiveRequests {
  readonly requests: readonly RequestFacts[];
  /** An active request was left out. */
  readonly hasMore: boolean;
}

/** A page of the feed, oldest change first, all of one snapshot. */
export interface FeedPage {
  readonly requests: readonly RequestFacts[];
  readonly snapshot: FeedSnapshot;
  /**
   * Looks the replies of its requests up, on the server that the page is from: those that became readable after the
   * page's `since` and were readable in its snapshot, by `kind:id`; requests without one are absent.
   */
  readonly lookUpReplies: (signal: AbortSignal) => Promise<ReadonlyMap<string, ReplyTally>>;
}

/** Replies of one request that became readable after a time. */
export interface ReplyTally {
  /** At least 1. */
  readonly count: number;
  /** When the latest became readable, ISO 8601: after the page's `since`. */
  readonly latestAt: string;
}

/** A request, as the feed names it. */
export interface RequestKey {
  readonly kind: RequestFacts['kind'];
  readonly id: string;
}

/** How many requests the reads hold (contract, sections 4.1 and 8). */
export const ACTIVE_DEAL_SETS = 12;
export const ACTIVE_SINGLES = 25;
/** Entries of a `since` page, besides those that tie with its last. */
export const FEED_PAGE = 25;

/**
 * Reads a buyer's requests.
 *
 * Guarantees: never a fact of another buyer; for an assistant no fact marked "session" is read at all;
 * each call sees one snapshot; nothing is written.
 * Stops working when the signal is aborted, and fails with its reason; fails with `unavailable` when the data cannot
 * be read. Anything else it throws is a defect (500 `internal`).
 */
export abstract class DealSetQueries {
  abstract listActive(
    principalType: PrincipalType,
    buyerId: string,
    signal: AbortSignal,
  ): Promise<ActiveRequests>;

  /** @param sinceMs milliseconds since 1970; requests that changed strictly after it. */
  abstract changedSince(
    principalType: PrincipalType,
    buyerId: string,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<FeedPage>;

  /** @param id a UUID in lower case. @returns the deal set, or null when the buyer has none of this id. */
  abstract findDealSet(
    principalType: PrincipalType,
    buyerId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<DealSetFacts | null>;
}
