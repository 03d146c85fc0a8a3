import type { ReadDatabase } from '../../database/read-database.js';
import type { Deadline } from '../../kernel/deadline.js';
import type { Principal } from '../../kernel/principal.js';
import { errorFields } from '../../observability/error-fields.js';
import type { Log } from '../../observability/logger.js';
import type { ResponseSerializer } from '../../response-shape/response-serializer.js';
import type { DealSetFacts, PriceCheckFacts, RequestFacts } from '../domain/facts.js';
import type { TrimGroup } from '../domain/ranking.js';
import type { Texts } from '../domain/texts.js';
import { Row } from '../dto/row.js';
import type { HiddenFacts } from '../redaction/listing-facts.js';
import type { ListingRedaction } from '../redaction/listing-redaction.js';
import type { ResultViewOptions } from '../view/deal-set-result-view.js';
import type { EntryViewOptions } from '../view/list-entry-view.js';
import { textsOf, type DisplayTexts } from './display-texts.js';
import { OwnFieldLoader } from './own-field-loader.js';
import type { OwnFields } from './own-field.js';
import { withEqualPricesOrdered, type OrderedRow, type RowOrder } from './row-order.js';

/** What a team adds to the two reads. */
export interface DealSetsAdditions {
  readonly fields?: OwnFields;
  readonly displayTexts?: DisplayTexts;
  readonly rowOrder?: RowOrder;
}

/** What a team adds to, and hides from, the entries of one response. */
export type EntryAdditions = EntryViewOptions & { readonly hidden: HiddenFacts };

/** A part that fails on every row logs once in this time. */
const LOG_PAUSE_MS = 60_000;

/** A team's fields, texts and order, for each response and its principal. */
export class Additions {
  readonly #loader: OwnFieldLoader;
  readonly #texts: Texts;
  readonly #rowOrder: RowOrder | undefined;
  readonly #loggedAt = new Map<string, number>();

  /** @throws {Error} for texts that are declared wrongly, or an order that is no function. */
  constructor(
    { fields = {}, displayTexts, rowOrder }: DealSetsAdditions,
    database: ReadDatabase,
    private readonly redaction: ListingRedaction,
    private readonly serializer: ResponseSerializer,
    private readonly log: Log,
  ) {
    this.#loader = new OwnFieldLoader(fields, database, log);
    this.#texts = textsOf(displayTexts, (text, error) =>
      this.#report(`displayTexts.${text}`, error),
    );
    if (rowOrder !== undefined && typeof rowOrder !== 'function') {
      throw new Error('rowOrder: expected a function of a row');
    }
    this.#rowOrder = rowOrder;
  }

  /** @throws {AppError} `unavailable` when an own field cannot be loaded. */
  async ofEntries(
    requests: readonly RequestFacts[],
    principal: Principal,
    deadline: Deadline,
  ): Promise<EntryAdditions> {
    const hidden = this.redaction.hiddenFrom(principal);
    const texts = this.#texts;
    if (!this.#loader.has('dealSetEntry') && !this.#loader.has('singleEntry')) {
      return { hidden, texts };
    }
    const idsOf = (kind: RequestFacts['kind']): string[] =>
      requests.filter((request) => request.kind === kind).map(({ id }) => id);
    const [ofSets, ofSingles] = await Promise.all([
      this.#loader.load('dealSetEntry', idsOf('deal_set'), principal, deadline),
      this.#loader.load('singleEntry', idsOf('single'), principal, deadline),
    ]);
    return { hidden, texts, ownValues: { deal_set: ofSets, single: ofSingles } };
  }

  /** @throws {AppError} `unavailable` when an own field cannot be loaded. */
  async ofResult(
    { priceChecks }: DealSetFacts,
    principal: Principal,
    deadline: Deadline,
  ): Promise<ResultViewOptions> {
    const shared = { hidden: this.redaction.hiddenFrom(principal), texts: this.#texts };
    const own = this.#loader.has('row') && {
      ownValues: await this.#loader.load(
        'row',
        priceChecks.map(({ id }) => id),
        principal,
        deadline,
      ),
    };
    return { ...shared, ...own, ...this.#orderFor(principal) };
  }

  #orderFor(principal: Principal): Pick<ResultViewOptions, 'order'> {
    const rowOrder = this.#rowOrder;
    if (!rowOrder) return {};
    return {
      order: (groups: readonly TrimGroup[], view: (row: PriceCheckFacts) => Row) =>
        withEqualPricesOrdered(
          groups,
          (row) => rowOrder(this.#orderedRow(view(row), principal)),
          (error) => this.#report('rowOrder', error),
        ),
    };
  }

  /** The row as the principal gets it, read back from what would be sent. */
  #orderedRow(row: Row, principal: Principal): OrderedRow {
    const sent = JSON.parse(this.serializer.write(Row, row, principal)) as Record<string, unknown>;
    delete sent['label'];
    delete sent['statusLabel'];
    delete sent['priceCheckHref'];
    return Object.freeze(sent) as unknown as OrderedRow;
  }

  #report(part: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#loggedAt.get(part) ?? -Infinity) < LOG_PAUSE_MS) return;
    this.#loggedAt.set(part, now);
    this.log.warn({ part, ...errorFields(error) }, 'part of the team failed, the service’s used');
  }
}
