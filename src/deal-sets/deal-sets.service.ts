import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { formatIsoTime } from '../kernel/iso-time.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { Log } from '../observability/logger.js';
import { errorFields } from '../observability/error-fields.js';
import { serviceAsOf } from './domain/feed-position.js';
import { Additions, type EntryAdditions } from './additions/additions.js';
import { blankRequest } from './redaction/listing-facts.js';
import type { RequestFacts } from './domain/facts.js';
import { FeedMetrics } from './feed-metrics.js';
import { LARGE_RESULT_ITEMS, LargeResults } from './large-results.js';
import { DealSetQueries, type FeedPage } from './queries/deal-set-queries.js';
import { dealSetResultView } from './view/deal-set-result-view.js';
import { listEntryView, type ReplyTallies } from './view/list-entry-view.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';
import type { ListEntry } from './dto/list-entry.js';

/** A list response before it is serialized, with the values of its headers. */
export interface ListPage {
  readonly response: ListResponse;
  /** `Service-More`. */
  readonly hasMore: boolean;
  /** `Service-As-Of`; null on a plain call. */
  readonly asOf: string | null;
}

/**
 * Time limit of a page with its replies, or half of the deadline if that is less; then the page is read without them.
 * Much less than the contract allows: every poll takes this long while replies are locked, and a slow page is read a
 * second time.
 */
const REPLIES_LIMIT_MS = 1500;

/** The two reads. Fails with `not_found` or `unavailable`; everything else is a defect. */
@Injectable()
export class DealSetsService {
  readonly #largeResults = new LargeResults();

  constructor(
    private readonly queries: DealSetQueries,
    private readonly settings: Settings,
    private readonly metrics: FeedMetrics,
    private readonly log: Log,
    private readonly additions: Additions,
  ) {}

  /** The buyer's active requests. */
  async listActive(principal: Principal, deadline: Deadline): Promise<ListPage> {
    const { requests, hasMore } = await deadline.race(
      this.queries.listActive(principal.type, principal.buyerId, deadline),
    );
    const own = await this.additions.ofEntries(requests, principal, deadline);
    const data = this.#entriesOf(requests, principal, own);
    return { response: { data }, hasMore, asOf: null };
  }

  /**
   * A page of the requests that changed after a time, oldest change first.
   *
   * @param sinceMs milliseconds since 1970.
   */
  async listChangedSince(
    principal: Principal,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<ListPage> {
    const seesChanges = matchPrincipal(principal, {
      session: () => false,
      assistant: (assistant) => assistant.seesChanges,
    });
    const { requests, snapshot, replies } = seesChanges
      ? await this.#pageWithReplies(principal, sinceMs, deadline)
      : await this.#page(principal, sinceMs, deadline);
    const asOfMs = serviceAsOf(sinceMs, snapshot, this.settings.feedMarginMs);
    this.metrics.observe(snapshot, asOfMs, requests.length);

    const own = await this.additions.ofEntries(requests, principal, deadline);
    const data = this.#entriesOf(requests, principal, own, replies);
    return { response: { data }, hasMore: snapshot.hasMore, asOf: formatIsoTime(asOfMs) };
  }

  /** @param dealSetId a UUID in lower case. */
  async get(principal: Principal, dealSetId: string, deadline: Deadline): Promise<DealSetResponse> {
    const set = await deadline.race(
      this.queries.findDealSet(principal.type, principal.buyerId, dealSetId, deadline),
    );
    if (!set) throw new AppError('not_found');
    if (set.needsYouItems.length >= LARGE_RESULT_ITEMS) {
      await deadline.race(this.#largeResults.turn());
    }
    const options = await this.additions.ofResult(set, principal, deadline);
    return { data: dealSetResultView(set, principal.type, options) };
  }

  #entriesOf(
    requests: readonly RequestFacts[],
    principal: Principal,
    own: EntryAdditions,
    tallies?: ReplyTallies,
  ): readonly ListEntry[] {
    return requests.map((request) =>
      listEntryView(blankRequest(request, own.hidden), principal.type, tallies, own),
    );
  }

  async #page(principal: Principal, sinceMs: number, deadline: Deadline): Promise<Page> {
    return deadline.race(
      this.queries.changedSince(principal.type, principal.buyerId, sinceMs, deadline),
    );
  }

  /** Without the replies if their look-up fails or times out: the response keeps the entries. */
  async #pageWithReplies(principal: Principal, sinceMs: number, deadline: Deadline): Promise<Page> {
    const { type, buyerId } = principal;
    const limit = deadline.within(Math.min(REPLIES_LIMIT_MS, deadline.remainingMs / 2));
    try {
      return await limit.race(this.queries.changedSinceWithReplies(type, buyerId, sinceMs, limit));
    } catch (error) {
      deadline.throwIfOver();
      // The pool is full: a second read would only make the queue longer.
      if (error instanceof AppError && error.retryAfterSeconds !== undefined) throw error;
      const page = await this.#page(principal, sinceMs, deadline);
      // An empty page has no replies to look up.
      if (page.requests.length === 0) return { ...page, replies: NO_REPLIES };
      this.metrics.repliesUnchecked.inc();
      this.log.warn(errorFields(error), 'replies could not be looked up');
      return { ...page, replies: null };
    } finally {
      limit.finish();
    }
  }
}

/** The replies are null if the look-up failed, and undefined if the principal does not see changes. */
type Page = FeedPage & { readonly replies?: ReplyTallies };
const NO_REPLIES: ReplyTallies = new Map();
