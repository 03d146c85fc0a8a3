import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { matchPrincipal, type AssistantPrincipal, type Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { parseUuid } from '../kernel/uuid.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { errorFields } from '../observability/error-fields.js';
import type { RequestFacts } from './domain/facts.js';
import { asOfToRepeat, serviceAsOf } from './domain/watermark.js';
import type { DealSetResponse, ListResponse } from './dto/responses.js';
import { FeedMetrics } from './queries/feed-metrics.js';
import { CustomFieldLoader } from './extension/custom-fields.js';
import { RedactionRules } from './extension/redaction-rules.js';
import { ResponseTexts } from './extension/response-texts.js';
import { DealSetQueries, type FeedPage, type ReplyCounts } from './queries/deal-set-queries.js';
import { FEED_PAGE } from './queries/entry-statements.js';
import { dealSetResultView } from './views/deal-set-result-view.js';
import { listEntryView } from './views/list-entry-view.js';

/** The arguments of a list read. */
export interface ListCall {
  /**
   * The time after which the listed requests changed, in milliseconds since 1970. If undefined, the
   * active requests are listed.
   */
  readonly sinceMs: number | undefined;
  /**
   * The number of entries of a `since` page. Further entries with the same stamp as the last one
   * are added and not counted. Default: the contract's page size.
   */
  readonly pageSize?: number | undefined;
}

/** A page of the list before redaction, with the values of its headers. */
export interface ListPage {
  readonly response: ListResponse;
  /** The value of the `Service-More` header. */
  readonly hasMore: boolean;
  /** `Service-As-Of` in milliseconds since 1970; null without `since`. */
  readonly asOfMs: number | null;
}

/**
 * The two reads, which REST, MCP and `DealSetsApi` share. Their results contain only what the
 * caller may know; withheld fields are removed afterwards. They reject with `not_found` or
 * `unavailable`; any other error is a defect.
 */
@Injectable()
export class DealSetsService {
  constructor(
    private readonly queries: DealSetQueries,
    private readonly settings: Settings,
    private readonly metrics: FeedMetrics,
    private readonly logger: ServiceLogger,
    private readonly customFields: CustomFieldLoader,
    private readonly rules: RedactionRules,
    private readonly texts: ResponseTexts,
    private readonly limits: TimeLimits,
  ) {}

  /** Returns the active requests, or those that changed after `sinceMs`, oldest change first. */
  async list(
    principal: Principal,
    { sinceMs, pageSize = FEED_PAGE }: ListCall,
    deadline: Deadline,
  ): Promise<ListPage> {
    if (sinceMs === undefined) {
      const { requests, hasMore } = await this.queries.listActive(principal, deadline);
      const response = await this.#responseOf(requests, principal, deadline);
      return { response, hasMore, asOfMs: null };
    }
    const grantee = matchPrincipal(principal, {
      session: () => undefined,
      assistant: (assistant) => (assistant.seesChanges ? assistant : undefined),
    });
    const page = await this.queries.changedSince(principal, { sinceMs, pageSize }, deadline);
    const { requests, snapshot } = page;
    const { feedMarginMs } = this.settings;
    const watermarkMs = serviceAsOf(sinceMs, snapshot, feedMarginMs);
    this.metrics.observe(snapshot, watermarkMs, requests.length > pageSize);

    const replies = grantee && (await this.#repliesOf(page, grantee, sinceMs, deadline));
    const asOfMs = replies === null ? asOfToRepeat(sinceMs, snapshot, feedMarginMs) : watermarkMs;
    const response = await this.#responseOf(requests, principal, deadline, replies);
    return { response, hasMore: snapshot.hasMore, asOfMs };
  }

  /**
   * Returns one deal set of the buyer.
   *
   * @param id any text.
   * @throws {AppError} `not_found` for a text that is not the id of one of the buyer's deal sets.
   */
  async get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetResponse> {
    const uuid = parseUuid(id);
    if (uuid === undefined) throw new AppError('not_found');
    const set = await this.queries.findDealSet(principal, uuid, deadline);
    if (set === null) throw new AppError('not_found');
    const hiddenFacts = this.rules.hiddenFrom(principal).facts;
    const ids = set.priceChecks.map((row) => row.id);
    const [texts, customValues] = await Promise.all([
      this.texts.forCaller(principal, deadline),
      this.customFields.load('row', ids, principal, deadline),
    ]);
    const options = { hiddenFacts, texts, customValues };
    return { data: dealSetResultView(set, options) };
  }

  async #responseOf(
    requests: readonly RequestFacts[],
    principal: Principal,
    deadline: Deadline,
    replies?: ReplyCounts | null,
  ): Promise<ListResponse> {
    const hiddenFacts = this.rules.hiddenFrom(principal).facts;
    const idsOf = (kind: RequestFacts['kind']): string[] =>
      requests.filter((request) => request.kind === kind).map(({ id }) => id);
    const [texts, setValues, singleValues] = await Promise.all([
      this.texts.forCaller(principal, deadline),
      this.customFields.load('dealSetEntry', idsOf('deal_set'), principal, deadline),
      this.customFields.load('singleEntry', idsOf('single'), principal, deadline),
    ]);
    const values = { deal_set: setValues, single: singleValues };
    return {
      data: requests.map((request) => {
        const options = { hiddenFacts, texts, customValues: values[request.kind] };
        return listEntryView(request, principal.type, replies, options);
      }),
    };
  }

  /**
   * Looks up the reply counts of a page's requests.
   *
   * @returns null when the look-up fails or exceeds its time limit. The response is then sent
   *   without reply counts.
   */
  async #repliesOf(
    page: FeedPage,
    reader: AssistantPrincipal,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<ReplyCounts | null> {
    // Half of the remaining time is reserved for the response itself.
    const limitMs = Math.min(this.limits.repliesMs, deadline.remainingMs() / 2);
    try {
      return await withTimeLimit(limitMs, deadline.signal, (limit) =>
        this.queries.repliesOf(page, reader, sinceMs, limit),
      );
    } catch (error) {
      deadline.signal.throwIfAborted();
      this.metrics.repliesUnchecked.inc();
      this.logger.warn({ msg: 'replies could not be looked up', ...errorFields(error) });
      return null;
    }
  }
}
