import type { PrincipalType } from '../../kernel/principal.js';
import { SEES_NAMES } from '../domain/disclosure.js';
import { distanceBand, shownDistanceMiles } from '../domain/distance.js';
import type { PriceCheckFacts } from '../domain/facts.js';
import type { TrimGroup } from '../domain/ranking.js';
import { hasWrittenPrice, rowFlags, rowState } from '../domain/row-state.js';
import { carLabel, shortCarLabel, type Texts } from '../domain/texts.js';
import { NO_OWN_VALUES, type OwnValues } from '../additions/own-field-loader.js';
import type { Hero, Row } from '../dto/row.js';

/** What the rows of one deal set share. */
export interface RowContext {
  readonly principalType: PrincipalType;
  readonly dealSetId: string;
  /** The label of the requested car: of a row with an empty listing. */
  readonly requestedLabel: string;
  readonly texts: Texts;
  readonly ownValues: OwnValues;
}

/** The dealership's name for the buyer once she has seen it; else, and for an assistant always, the car. */
function rowLabel(row: PriceCheckFacts, context: RowContext): string {
  if (SEES_NAMES[context.principalType] && row.dealershipName !== null) return row.dealershipName;
  return carLabel(context.texts, row.listing, fallbackLabel(row, context));
}

/** The label of a row of whose listing nothing is known: a different car is not the one that was asked for. */
function fallbackLabel({ answer }: PriceCheckFacts, context: RowContext): string {
  return answer === 'different_car'
    ? context.texts.requestedCar({ year: null, model: null })
    : context.requestedLabel;
}

/** The row's label, short enough for a heading: of a car year, model and trim alone, for the buyer's session. */
export function headingLabel(row: PriceCheckFacts, label: string, context: RowContext): string {
  if (!SEES_NAMES[context.principalType] || row.dealershipName !== null) return label;
  return shortCarLabel(context.texts, row.listing) ?? fallbackLabel(row, context);
}

/** @param lowestOfGroupCents the lowest price of the row's group; null on rows that are not ranked. */
export function rowView(
  row: PriceCheckFacts,
  context: RowContext,
  lowestOfGroupCents: number | null,
): Row {
  const state = rowState(row);
  const isWritten = hasWrittenPrice(row);
  const { hidden, canChoose, canUnlock } = rowFlags(row);
  const view = {
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
    gapToLowestCents:
      lowestOfGroupCents === null || row.otdCents === null
        ? null
        : row.otdCents - lowestOfGroupCents,
    canChoose,
    canUnlock,
    quotedTrim: row.listing.trim,
    distanceMiles: shownDistanceMiles(row.distanceMiles, row.isSeen),
    distanceBand: distanceBand(row.distanceMiles),
    priceCheckHref: hidden ? null : `/deal-sets/${context.dealSetId}/price-checks/${row.id}`,
    isVerifiedPartner: row.isVerifiedPartner,
  };
  return context.ownValues === NO_OWN_VALUES ? view : { ...view, ...context.ownValues(row.id) };
}

/** The first row of the first group; null when nothing is ranked. */
export function heroView(groups: readonly TrimGroup[], heroRow: Row | undefined): Hero | null {
  const [group] = groups;
  if (!group || !heroRow) return null;
  const [lowest, next] = group.rows;
  return {
    rowKey: heroRow.rowKey,
    label: heroRow.label,
    otdCents: lowest.otdCents,
    sellingPriceCents: heroRow.sellingPriceCents,
    taxesAndFeesCents: taxesAndFees(lowest.otdCents, heroRow.sellingPriceCents),
    listedAtCents: heroRow.listedAtCents,
    writtenAt: heroRow.writtenAt,
    distanceMiles: heroRow.distanceMiles,
    distanceBand: heroRow.distanceBand,
    trim: group.trim,
    gapToNextCents: next ? next.otdCents - lowest.otdCents : null,
    canChoose: heroRow.canChoose,
    canUnlock: heroRow.canUnlock,
    chosen: heroRow.chosen,
  };
}

/** What comes on top of the selling price; null where the two prices do not fit together. */
function taxesAndFees(otdCents: number, sellingPriceCents: number | null): number | null {
  if (sellingPriceCents === null || sellingPriceCents > otdCents) return null;
  return otdCents - sellingPriceCents;
}
