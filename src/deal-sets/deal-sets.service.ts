import { Inject, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { AppError } from '../kernel/app-error.js';
import type { Deadline } from '../kernel/deadline.js';
import { formatIsoTime } from '../kernel/iso-time.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { parseUuid } from '../kernel/uuid.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { errorFields } from '../observability/error-fields.js';
import { RedactionRules } from '../redaction/redaction-rules.js';
import type { RequestFacts } from './domain/facts.js';
import { asOfToRepeat, serviceAsOf } from './domain/feed-position.js';
import type { ListResponse } from './dto/responses.js';
import {
  DealSetReads,
  callerOf,
  type DealSetRead,
  type ListCall,
  type ListRead,
} from './deal-set-reads.js';
import { FeedMetrics } from './feed-metrics.js';
import { CustomFieldLoader } from './custom-fields.js';
import { LocalizedTexts } from './localized-texts.js';
import { DealSetQueries, type FeedPage, type ReplyCounts } from './queries/deal-set-queries.js';
import { FEED_PAGE } from './queries/entry-statements.js';
import { dealSetResultView } from './views/deal-set-result-view.js';
import { listEntryView } from './views/list-entry-view.js';

/**
 * The longest time that a page waits for its reply counts, in milliseconds. It is within the
 * contract's `itemDeadlineMs`, and shorter than the time that a read waits for a connection, so
 * that other pages get a connection while reply look-ups hang.
 */
const REPLIES_LIMIT_MS = 1500;

/**
 * The default implementation of the two reads. They reject with `not_found` or `unavailable`; any
 * other error is a defect.
 */
@Injectable()
export class DealSetsService extends DealSetReads {
  // The dependencies are injected as properties, because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly queries!: DealSetQueries;
  @Inject() private readonly settings!: Settings;
  @Inject() private readonly metrics!: FeedMetrics;
  @Inject() private readonly logger!: ServiceLogger;
  @Inject() private readonly ownFields!: CustomFieldLoader;
  @Inject() private readonly rules!: RedactionRules;
  @Inject() private readonly localizedTexts!: LocalizedTexts;

  override async list(
    principal: Principal,
    { sinceMs, pageSize = FEED_PAGE }: ListCall,
    deadline: Deadline,
  ): Promise<ListRead> {
    if (sinceMs === undefined) {
      const { requests, hasMore } = await this.queries.listActive(principal, deadline);
      const response = await this.#responseOf(requests, principal, deadline);
      return { readFor: callerOf(principal), response, hasMore, asOf: null };
    }
    const seesChanges = matchPrincipal(principal, {
      session: () => false,
      assistant: (assistant) => assistant.seesChanges,
    });
    const page = await this.queries.changedSince(principal, { sinceMs, pageSize }, deadline);
    const { requests, snapshot } = page;
    const { feedMarginMs } = this.settings;
    const watermarkMs = serviceAsOf(sinceMs, snapshot, feedMarginMs);
    this.metrics.observe(snapshot, watermarkMs, requests.length > pageSize);

    const replies = seesChanges
      ? await this.#repliesOf(page, principal, sinceMs, deadline)
      : undefined;
    const asOfMs = replies === null ? asOfToRepeat(sinceMs, snapshot, feedMarginMs) : watermarkMs;
    const response = await this.#responseOf(requests, principal, deadline, replies);
    const asOf = formatIsoTime(asOfMs);
    return { readFor: callerOf(principal), response, hasMore: snapshot.hasMore, asOf };
  }

  override async get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    const uuid = parseUuid(id);
    if (uuid === undefined) throw new AppError('not_found');
    const set = await this.queries.findDealSet(principal, uuid, deadline);
    if (set === null) throw new AppError('not_found');
    const hidden = this.rules.hiddenFrom(principal).facts;
    const ids = set.priceChecks.map((row) => row.id);
    const [texts, ownValues] = await Promise.all([
      this.localizedTexts.forResponse(principal, deadline),
      this.ownFields.load('row', ids, principal, deadline),
    ]);
    const options = { hidden, texts, ownValues };
    const response = { data: dealSetResultView(set, principal.type, options) };
    return { readFor: callerOf(principal), response };
  }

  async #responseOf(
    requests: readonly RequestFacts[],
    principal: Principal,
    deadline: Deadline,
    replies?: ReplyCounts | null,
  ): Promise<ListResponse> {
    const hidden = this.rules.hiddenFrom(principal).facts;
    const idsOf = (kind: RequestFacts['kind']): string[] =>
      requests.filter((request) => request.kind === kind).map(({ id }) => id);
    const [texts, setValues, singleValues] = await Promise.all([
      this.localizedTexts.forResponse(principal, deadline),
      this.ownFields.load('dealSetEntry', idsOf('deal_set'), principal, deadline),
      this.ownFields.load('singleEntry', idsOf('single'), principal, deadline),
    ]);
    const own = { deal_set: setValues, single: singleValues };
    const data = requests.map((request) => {
      const options = { hidden, texts, ownValues: own[request.kind] };
      return listEntryView(request, principal.type, replies, options);
    });
    return { data };
  }

  /**
   * Looks up the reply counts of a page's requests.
   *
   * @returns null when the look-up fails or exceeds its time limit. The response is then sent
   *   without reply counts.
   */
  async #repliesOf(
    page: FeedPage,
    principal: Principal,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<ReplyCounts | null> {
    // Half of the remaining time is reserved for the response itself.
    const limitMs = Math.min(REPLIES_LIMIT_MS, deadline.remainingMs() / 2);
    try {
      return await withTimeLimit(limitMs, deadline.signal, (limit) =>
        this.queries.repliesOf(page, principal, sinceMs, limit),
      );
    } catch (error) {
      deadline.signal.throwIfAborted();
      this.metrics.repliesUnchecked.inc();
      this.logger.warn({ msg: 'replies could not be looked up', ...errorFields(error) });
      return null;
    }
  }
}
