import type { Deadline } from '../../kernel/deadline.js';
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
}

/** The same with the replies of its requests. */
export interface FeedPageWithReplies extends FeedPage {
  /** Those that became readable after the page's `since`, by `kind:id`; requests without one are absent. */
  readonly replies: ReadonlyMap<string, ReplyTally>;
}

/** Replies of one request that became readable after a time. */
export interface ReplyTally {
  /** At least 1. */
  readonly count: number;
  /** When the latest was received, ISO 8601. */
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
 * Fails with `unavailable` when the data cannot be read before the deadline, and then stops working on
 * it. Anything else it throws is a defect (500 `internal`).
 */
export abstract class DealSetQueries {
  abstract listActive(
    principalType: PrincipalType,
    buyerId: string,
    deadline: Deadline,
  ): Promise<ActiveRequests>;

  /** @param sinceMs milliseconds since 1970; requests that changed strictly after it. */
  abstract changedSince(
    principalType: PrincipalType,
    buyerId: string,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<FeedPage>;

  /**
   * The same page for a principal that sees changes. The replies are of the page's snapshot: a later one may have
   * replies that the next page counts again, and a replica that lags may lack replies of an entry on the page. After
   * any failure or timeout the service reads the page by `changedSince`, so override both methods together.
   */
  abstract changedSinceWithReplies(
    principalType: PrincipalType,
    buyerId: string,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<FeedPageWithReplies>;

  /** @param id a UUID in lower case. @returns the deal set, or null when the buyer has none of this id. */
  abstract findDealSet(
    principalType: PrincipalType,
    buyerId: string,
    id: string,
    deadline: Deadline,
  ): Promise<DealSetFacts | null>;
}
