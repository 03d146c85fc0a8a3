import type { PrincipalType } from '../../kernel/principal.js';
import {
  carDescription,
  requestedCarDescription,
  shortCarDescription,
} from '../domain/car-label.js';
import { SEES_NAMES } from '../domain/disclosure.js';
import { shownDistanceMiles } from '../domain/distance.js';
import type { DealSetSummaryFacts, RequestFacts, SingleFacts } from '../domain/facts.js';
import { dealSetSection, singleSection } from '../domain/section.js';
import type { DealSetEntry, ListEntry, SingleEntry } from '../dto/list-entry.js';

/** One request of the list, as this reader may know its facts. Redaction follows. */
export function listEntryView(request: RequestFacts, viewer: PrincipalType): ListEntry {
  return request.kind === 'deal_set' ? dealSetEntry(request, viewer) : singleEntry(request, viewer);
}

function dealSetEntry(set: DealSetSummaryFacts, viewer: PrincipalType): DealSetEntry {
  const fallback = requestedCarDescription(set.car);
  return {
    kind: 'deal_set',
    dealSetId: set.id,
    href: `/deal-sets/${set.id}`,
    car: set.car,
    section: dealSetSection(set),
    lowestWrittenOtdCents: set.lowestWrittenOtdCents,
    needsYou: set.openItemCount,
    latestActivityAt: set.latestActivityAt,
    buyerZip: set.buyerZip,
    dealerCount: set.dealersFound,
    summary: set.summary,
    lowestWrittenDistanceMiles: shownDistanceMiles(
      set.lowestWrittenDistanceMiles,
      set.isLowestWrittenSeen,
    ),
    chosenLabels: set.chosen.map((row) =>
      SEES_NAMES[viewer] && row.dealershipName !== null
        ? row.dealershipName
        : carDescription(row, fallback),
    ),
    memberIds: set.memberIds,
  };
}

function singleEntry(single: SingleFacts, viewer: PrincipalType): SingleEntry {
  const { year, model, trim } = single.listing;
  return {
    kind: 'single',
    id: single.id,
    car: { year, make: single.make, model, trim },
    dealerLabel: SEES_NAMES[viewer] ? single.dealershipName : shortCarDescription(single.listing),
    section: singleSection(single),
    lowestWrittenOtdCents: single.writtenAt === null ? null : single.otdCents,
    needsYou: single.openQuestionCount > 0 ? 1 : 0,
    latestActivityAt: single.latestActivityAt,
  };
}
