import type { PrincipalType } from '../../kernel/principal.js';
import { distanceBand, SEES_NAMES, SEES_WORDS, shownDistanceMiles } from '../domain/disclosure.js';
import type { DealSetFacts, NeedsYouFacts, PriceCheckFacts } from '../domain/facts.js';
import { previewOf } from '../domain/preview.js';
import { partition, summaryOf } from '../domain/ranking.js';
import { hasWrittenPrice, rowFlags, rowState } from '../domain/row-state.js';
import { ENGLISH } from '../domain/english-texts.js';
import { carLabel, fallbackLabel, shortCarLabel } from '../domain/labels.js';
import type { Texts } from '../domain/texts.js';
import type { DealSetResult, NeedsYouItem } from '../dto/deal-set-result.js';
import type { Hero, Row } from '../dto/row.js';
import type { CustomFieldValues } from '../custom-fields.js';
import { hideFactsOfRow, type HiddenFacts } from './hide-facts.js';

/**
 * Options of the views. The defaults are those of a host application that has no rules and no
 * custom fields and replaces no display texts.
 */
export interface ViewOptions {
  /** The facts that the host application's rules hide. */
  readonly hidden?: HiddenFacts;
  readonly texts?: Texts;
  /** Returns the values of the custom fields of a row or an entry, by its id. */
  readonly customValues?: CustomFieldValues;
}

/** What the rows of one deal set have in common. */
interface RowContext extends Required<ViewOptions> {
  readonly principalType: PrincipalType;
  readonly set: DealSetFacts;
}

/**
 * Builds the response for one deal set from the facts that this principal type may read. Redaction
 * follows.
 */
export function dealSetResultView(
  set: DealSetFacts,
  principalType: PrincipalType,
  { hidden = new Set(), texts = ENGLISH, customValues = () => ({}) }: ViewOptions = {},
): DealSetResult {
  const context = { hidden, texts, customValues, principalType, set };
  // Rows are masked after the ranking, because it groups them by trim.
  const view = (row: PriceCheckFacts, lowestCents: number | null = null): Row =>
    rowView(hideFactsOfRow(row, hidden), context, lowestCents);
  const all = (rows: readonly PriceCheckFacts[]): Row[] => rows.map((row) => view(row));

  const parts = partition(set.priceChecks);
  const ranked = parts.ranked.map(({ trim, rows }) => ({
    trim: hidden.has('trim') ? null : trim,
    rows: rows.map((row) => view(row, rows[0].otdCents)),
  }));
  const summary = summaryOf(parts);
  const needsYou = set.needsYouItems.flatMap((item) => {
    const row = set.priceChecks.find(({ id }) => id === item.priceCheckId);
    return row ? [needsYouView(item, hideFactsOfRow(row, hidden), context)] : [];
  });
  return {
    dealSetId: set.id,
    car: set.car,
    search: { buyerZip: set.buyerZip, radiusMiles: set.radiusMiles },
    counts: { ...summary, needsYou: needsYou.length, total: set.dealersFound },
    headerLine: texts.headerLine({ ...summary, archived: parts.archived.length }),
    hero: heroView(ranked[0]?.rows),
    ranked,
    needsYou,
    everyoneElse: {
      waiting: all(parts.waiting),
      differentCar: all(parts.differentCar),
      ended: all(parts.ended),
      archived: all(parts.archived),
    },
  };
}

/**
 * Returns the dealership's name once the buyer has unlocked or chosen it. Before that, and always
 * for an assistant, returns a description of the car.
 */
function rowLabel(row: PriceCheckFacts, context: RowContext): string {
  if (SEES_NAMES[context.principalType] && row.dealershipName !== null) return row.dealershipName;
  const { texts, set } = context;
  return carLabel(texts, row.listing, fallbackLabel(texts, row, set.car));
}

/**
 * Builds one row.
 *
 * @param lowestOfGroupCents the lowest price of the row's group; null for rows that are not ranked.
 */
function rowView(
  row: PriceCheckFacts,
  context: RowContext,
  lowestOfGroupCents: number | null,
): Row {
  const state = rowState(row);
  const isWritten = hasWrittenPrice(row);
  const { hidden, canChoose, canUnlock } = rowFlags(row);
  return {
    rowKey: row.id,
    label: rowLabel(row, context),
    hidden,
    chosen: row.isChosen,
    archived: row.isArchived,
    state,
    ended: row.ended,
    statusLabel: context.texts.status({ state, ended: row.ended }),
    otdCents: isWritten ? row.otdCents : null,
    sellingPriceCents: isWritten ? row.sellingPriceCents : null,
    listedAtCents: row.listing.listedAtCents,
    writtenAt: isWritten ? row.writtenAt : null,
    gapToLowestCents: lowestOfGroupCents === null ? null : (row.otdCents ?? 0) - lowestOfGroupCents,
    canChoose,
    canUnlock,
    quotedTrim: row.listing.trim,
    distanceMiles: shownDistanceMiles(row.distanceMiles, row.isSeen),
    distanceBand: distanceBand(row.distanceMiles),
    priceCheckHref: hidden ? null : context.texts.priceCheckHref(context.set.id, row.id),
    isVerifiedPartner: row.isVerifiedPartner,
    ...context.customValues(row.id),
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

function needsYouView(
  item: NeedsYouFacts,
  row: PriceCheckFacts,
  context: RowContext,
): NeedsYouItem {
  const { principalType, texts, set } = context;
  const label = rowLabel(row, context);
  if (item.kind === 'question') {
    // While the dealership is hidden, a heading in the buyer's session has only the year, model and
    // trim of the car, because it needs a short label. For an assistant, it has the label of the
    // row.
    const isNamed = !SEES_NAMES[principalType] || row.dealershipName !== null;
    const name = isNamed
      ? label
      : (shortCarLabel(texts, row.listing) ?? fallbackLabel(texts, row, set.car));
    return {
      kind: 'question',
      rowKey: item.priceCheckId,
      label,
      promptId: item.promptId,
      category: item.category,
      heading: texts.questionHeading({ category: item.category, label: name }),
      question: item.words,
      answerMode: item.answerMode,
      otdCents: item.otdCents,
    };
  }
  // For an assistant, even `previewComplete` is withheld, because it would reveal whether the draft
  // is short.
  const isShown = SEES_WORDS[principalType] && item.words !== null;
  const preview = isShown ? previewOf(item.words, item.hasMore ?? false) : null;
  return {
    kind: 'draft',
    rowKey: item.priceCheckId,
    label,
    requestId: item.id,
    preview: preview?.text ?? null,
    previewComplete: preview?.isComplete ?? false,
  };
}
