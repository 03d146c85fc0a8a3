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

/** The longest that a page with its replies is waited for (`itemDeadlineMs` of the contract), or half of the deadline. */
export const REPLIES_LIMIT_MS = 4000;
/** When it takes longer, the page is asked for without them too. */
const REPLIES_PATIENCE_MS = 1000;

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

  /**
   * The page with its replies or, when they cannot be looked up in time, without: its entries are kept all the same.
   * For that the page alone is asked for as soon as both together fail or are slow.
   */
  async #pageWithReplies(principal: Principal, sinceMs: number, deadline: Deadline): Promise<Page> {
    const limit = deadline.within(Math.min(REPLIES_LIMIT_MS, deadline.remainingMs / 2));
    const patience = limit.within(Math.min(REPLIES_PATIENCE_MS, limit.remainingMs / 2));
    const { type, buyerId } = principal;
    const both = this.queries.changedSinceWithReplies(type, buyerId, sinceMs, limit);
    try {
      return await patience.race(both);
    } catch (error) {
      deadline.throwIfOver();
      // Sent away: asking twice would only make the queue longer.
      if (error instanceof AppError && error.retryAfterSeconds !== undefined) throw error;
      const alone = this.#page(principal, sinceMs, deadline).then((page) =>
        // Most polls find nothing new, and then there is nothing to wait for.
        page.requests.length === 0
          ? { ...page, replies: NO_REPLIES }
          : limit.race(both).catch((reason: unknown) => this.#withoutReplies(page, reason)),
      );
      const first = await Promise.any([both, alone]).catch(() => alone);
      limit.end();
      return first;
    } finally {
      patience.finish();
      limit.finish();
    }
  }

  #withoutReplies(page: Page, reason: unknown): Page {
    this.metrics.repliesUnchecked.inc();
    this.log.warn(errorFields(reason), 'replies could not be looked up');
    return { ...page, replies: null };
  }
}

/** The replies are null when they could not be looked up, and undefined when nobody asked. */
type Page = FeedPage & { readonly replies?: ReplyTallies };
const NO_REPLIES: ReplyTallies = new Map();
