import type { CustomFieldValues } from '../extension/custom-fields.js';
import { distanceBand, shownDistanceMiles } from '../domain/disclosure.js';
import { ENGLISH } from '../domain/english-texts.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';
import { carLabel, fallbackLabel } from '../domain/labels.js';
import { previewOf } from '../domain/preview.js';
import { partition, summaryOf } from '../domain/ranking.js';
import { rowFlags } from '../domain/row-state.js';
import type { Texts } from '../domain/texts.js';
import type { DealSetResult, NeedsYouItem } from '../dto/deal-set-result.js';
import type { Hero, Row } from '../dto/row.js';
import { hideFactsOfRow, type HiddenFacts } from './hide-facts.js';

/** What a host application adds to the views, resolved once for each response. */
export interface ViewOptions {
  /** The facts that the host application's rules hide. */
  readonly hiddenFacts: HiddenFacts;
  readonly texts: Texts;
  /** Returns the values of the custom fields of a row or an entry, by its id. */
  readonly customValues: CustomFieldValues;
}

/** The options of a host application without rules, custom fields and display texts. */
export const NO_OPTIONS: ViewOptions = {
  hiddenFacts: new Set(),
  texts: ENGLISH,
  customValues: () => undefined,
};

/** What the rows of one deal set have in common. */
interface RowContext extends ViewOptions {
  readonly set: DealSetFacts;
}

/**
 * Builds the response for one deal set from the facts that the principal may read. Redaction
 * follows.
 */
export function dealSetResultView(set: DealSetFacts, options = NO_OPTIONS): DealSetResult {
  const context = { ...options, set };
  const viewed = new Map<string, Row>();
  const view = (ranked: PriceCheckFacts, lowestCents: number | null): Row => {
    // Facts are hidden after the ranking, because it groups rows by trim.
    const facts = hideFactsOfRow(ranked, options.hiddenFacts);
    const row = rowView(facts, context, lowestCents);
    viewed.set(row.rowKey, row);
    return row;
  };
  const all = (rows: readonly PriceCheckFacts[]): Row[] => rows.map((row) => view(row, null));

  const parts = partition(set.priceChecks);
  const summary = summaryOf(parts);
  const ranked = parts.ranked.map(({ trim, rows }) => ({
    trim: options.hiddenFacts.has('trim') ? null : trim,
    rows: rows.map((row) => view(row, rows[0].otdCents)),
  }));
  const everyoneElse = {
    waiting: all(parts.waiting),
    differentCar: all(parts.differentCar),
    ended: all(parts.ended),
    archived: all(parts.archived),
  };
  const needsYou = set.needsYouItems.flatMap((item) => {
    const row = viewed.get(item.priceCheckId);
    return row ? [needsYouView(item, row, options.texts)] : [];
  });
  return {
    dealSetId: set.id,
    car: set.car,
    search: { buyerZip: set.buyerZip, radiusMiles: set.radiusMiles },
    counts: { ...summary, needsYou: needsYou.length, total: set.dealersFound },
    headerLine: options.texts.headerLine({ ...summary, archived: parts.archived.length }),
    hero: heroView(ranked[0]?.rows),
    ranked,
    needsYou,
    everyoneElse,
  };
}

/** The price of a row whose price is not in writing. */
const NOT_WRITTEN = { otdCents: null, sellingPriceCents: null, writtenAt: null };

/**
 * Builds one row.
 *
 * @param lowestOfGroupCents the lowest price of the row's group; null for rows that are not ranked.
 */
function rowView(
  row: PriceCheckFacts,
  { texts, set, customValues }: RowContext,
  lowestOfGroupCents: number | null,
): Row {
  const { state, ended } = row;
  const price = row.isWritten ? row : NOT_WRITTEN;
  const { hidden, canChoose, canUnlock } = rowFlags(row);
  return {
    rowKey: row.id,
    // The dealership's name is known once the buyer has unlocked or chosen it, and only to the
    // buyer's session.
    label: row.dealershipName ?? carLabel(texts, row) ?? fallbackLabel(texts, row, set.car),
    hidden,
    chosen: row.isChosen,
    archived: row.isArchived,
    state,
    ended,
    statusLabel: texts.status({ state, ended }),
    otdCents: price.otdCents,
    sellingPriceCents: price.sellingPriceCents,
    listedAtCents: row.listedAtCents,
    writtenAt: price.writtenAt,
    gapToLowestCents: lowestOfGroupCents === null ? null : (row.otdCents ?? 0) - lowestOfGroupCents,
    canChoose,
    canUnlock,
    quotedTrim: row.trim,
    distanceMiles: shownDistanceMiles(row.distanceMiles, row.isSeen),
    distanceBand: distanceBand(row.distanceMiles),
    priceCheckHref: hidden ? null : texts.priceCheckHref(set.id, row.id),
    isVerifiedPartner: row.isVerifiedPartner,
    ...customValues(row.id),
  };
}

/** Builds the hero from the first row of the first group; null when nothing is ranked. */
function heroView([row, next]: readonly Row[] = []): Hero | null {
  if (!row || row.otdCents === null) return null;
  const { otdCents, sellingPriceCents } = row;
  // `taxesAndFeesCents` is null if the selling price is unknown or above the out-the-door price.
  const isPart = sellingPriceCents !== null && sellingPriceCents <= otdCents;
  return {
    rowKey: row.rowKey,
    label: row.label,
    otdCents,
    sellingPriceCents,
    taxesAndFeesCents: isPart ? otdCents - sellingPriceCents : null,
    listedAtCents: row.listedAtCents,
    writtenAt: row.writtenAt,
    distanceMiles: row.distanceMiles,
    distanceBand: row.distanceBand,
    trim: row.quotedTrim,
    gapToNextCents: next?.gapToLowestCents ?? null,
    canChoose: row.canChoose,
    canUnlock: row.canUnlock,
    chosen: row.chosen,
  };
}

/** Builds the item of a question or draft. */
function needsYouView(item: NeedsYouFacts, { label }: Row, texts: Texts): NeedsYouItem {
  if (item.kind === 'draft') {
    const preview = previewOf(item.words, item.isPartial ?? false);
    return {
      kind: 'draft',
      rowKey: item.priceCheckId,
      label,
      requestId: item.id,
      preview: preview.text,
      previewComplete: preview.isComplete,
    };
  }
  return {
    kind: 'question',
    rowKey: item.priceCheckId,
    label,
    promptId: item.promptId,
    category: item.category,
    heading: texts.questionHeading({ category: item.category, label }),
    question: item.words,
    answerMode: item.answerMode,
    otdCents: item.otdCents,
  };
}
