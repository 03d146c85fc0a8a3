import type { PrincipalType } from '../../kernel/principal.js';
import { SEES_NAMES, shownDistanceMiles } from '../domain/disclosure.js';
import type { DealSetSummaryFacts, RequestFacts, SingleFacts } from '../domain/facts.js';
import { dealSetSection, singleSection } from '../domain/row-state.js';
import { carLabel, fallbackLabel, shortCarLabel } from '../domain/labels.js';
import type { Texts } from '../domain/texts.js';
import type { ReplyCounts } from '../queries/deal-set-queries.js';
import { hideFactsOfRequest } from './hide-facts.js';
import { NO_OPTIONS } from './deal-set-result-view.js';
import type { Changes, DealSetEntry, ListEntry, SingleEntry } from '../dto/list-entry.js';

/**
 * Builds one entry of the list. Redaction follows.
 *
 * @param replies the reply counts of the page; undefined for a list without `changes`: one without
 *   `since`, or one for a principal that may not see them. Null if the replies could not be looked
 *   up.
 */
export function listEntryView(
  facts: RequestFacts,
  type: PrincipalType,
  replies?: ReplyCounts | null,
  { hiddenFacts, texts, customValues } = NO_OPTIONS,
): ListEntry {
  const request = hideFactsOfRequest(facts, hiddenFacts);
  const isSet = request.kind === 'deal_set';
  const entry = isSet ? dealSetEntry(request, texts) : singleEntry(request, type, texts);
  return {
    ...entry,
    ...customValues(request.id),
    ...(replies !== undefined && { changes: changesOf(request, entry, replies) }),
  };
}

function changesOf(request: RequestFacts, entry: ListEntry, replies: ReplyCounts | null): Changes {
  const counted = replies?.get(`${request.kind}:${request.id}`);
  const status = replies ? 'none' : 'could_not_check';
  return {
    hasWrittenPrice: entry.lowestWrittenOtdCents !== null,
    newReplies: counted ? { status: 'new', ...counted } : { status },
    ended: entry.section === 'inactive',
  };
}

function dealSetEntry(set: DealSetSummaryFacts, texts: Texts): DealSetEntry {
  const isSeen = set.isLowestWrittenSeen ?? false;
  return {
    kind: 'deal_set',
    dealSetId: set.id,
    href: texts.dealSetHref(set.id),
    car: {
      year: set.year,
      make: set.make,
      model: set.model,
      trim: set.trim,
      exteriorColor: set.exteriorColor,
      interiorColor: set.interiorColor,
      drivetrain: set.drivetrain,
      powertrain: set.powertrain,
    },
    section: dealSetSection(set),
    lowestWrittenOtdCents: set.lowestWrittenOtdCents,
    needsYou: set.needsYou,
    latestActivityAt: set.latestActivityAt,
    buyerZip: set.buyerZip,
    dealerCount: set.dealersFound,
    summary: {
      written: set.written,
      waiting: set.waiting,
      differentCar: set.differentCar,
      ended: set.ended,
      endedWithPrice: set.endedWithPrice,
      closedWithPrice: set.closedWithPrice,
    },
    lowestWrittenDistanceMiles: shownDistanceMiles(set.lowestWrittenDistanceMiles, isSeen),
    chosenLabels: (set.chosen ?? []).map(
      (row, index) =>
        set.chosenNames?.[index] ?? carLabel(texts, row) ?? fallbackLabel(texts, row, set),
    ),
    memberIds: set.memberIds?.split(',') ?? [],
  };
}

function singleEntry(single: SingleFacts, type: PrincipalType, texts: Texts): SingleEntry {
  return {
    kind: 'single',
    id: single.id,
    car: { year: single.year, make: single.make, model: single.model, trim: single.trim },
    dealerLabel: SEES_NAMES[type] ? single.dealershipName : shortCarLabel(texts, single),
    section: singleSection(single),
    lowestWrittenOtdCents: single.lowestWrittenOtdCents,
    needsYou: single.needsYou > 0 ? 1 : 0,
    latestActivityAt: single.latestActivityAt,
  };
}
