import type { PrincipalType } from '../../kernel/principal.js';
import { SEES_NAMES } from '../domain/disclosure.js';
import { shownDistanceMiles } from '../domain/distance.js';
import type {
  DealSetSummaryFacts,
  ListedFacts,
  RequestFacts,
  SingleFacts,
} from '../domain/facts.js';
import { dealSetSection, singleSection } from '../domain/section.js';
import {
  carLabel,
  ENGLISH,
  requestedCarLabel,
  shortCarLabel,
  type Texts,
} from '../domain/texts.js';
import type { OwnValues } from '../additions/own-field-loader.js';
import type { ReplyTally } from '../queries/deal-set-queries.js';
import type { Changes, DealSetEntry, ListEntry, SingleEntry } from '../dto/list-entry.js';

/** What a page's replies came to, by `kind:id`; null when they could not be looked up. */
export type ReplyTallies = ReadonlyMap<string, ReplyTally> | null;

/** What a team adds to an entry. */
export interface EntryViewOptions {
  /** Default: the service's. */
  readonly texts?: Texts;
  /** A team's fields of each kind of entry. Default: none. */
  readonly ownValues?: Readonly<Record<RequestFacts['kind'], OwnValues>> | undefined;
}

/**
 * One request of the list, as this type of principal may know its facts. Redaction follows.
 *
 * @param tallies given when the principal may be shown changes: replies since the poll's time.
 */
export function listEntryView(
  request: RequestFacts,
  principalType: PrincipalType,
  tallies?: ReplyTallies,
  { texts = ENGLISH, ownValues }: EntryViewOptions = {},
): ListEntry {
  const view =
    request.kind === 'deal_set'
      ? dealSetEntry(request, principalType, texts)
      : singleEntry(request, principalType, texts);
  const entry = ownValues ? { ...view, ...ownValues[request.kind](request.id) } : view;
  return tallies === undefined ? entry : { ...entry, changes: changesOf(request, entry, tallies) };
}

/** What a poll says of an entry besides its fields. */
export function changesOf(
  request: Pick<RequestFacts, 'kind' | 'id'>,
  entry: ListEntry,
  tallies: ReplyTallies,
): Changes {
  const tally = tallies?.get(`${request.kind}:${request.id}`);
  return {
    hasWrittenPrice: entry.lowestWrittenOtdCents !== null,
    newReplies: tally
      ? { status: 'new', count: tally.count, latestAt: tally.latestAt }
      : { status: tallies ? 'none' : 'could_not_check' },
    ended: entry.section === 'inactive',
  };
}

function dealSetEntry(
  set: DealSetSummaryFacts,
  principalType: PrincipalType,
  texts: Texts,
): DealSetEntry {
  return {
    kind: 'deal_set',
    dealSetId: set.id,
    href: `/deal-sets/${set.id}`,
    car: set.car,
    section: dealSetSection(set),
    lowestWrittenOtdCents: set.lowestWrittenOtdCents,
    needsYou: set.needsYouCount,
    latestActivityAt: set.latestActivityAt,
    buyerZip: set.buyerZip,
    dealerCount: set.dealersFound,
    summary: set.summary,
    lowestWrittenDistanceMiles: shownDistanceMiles(
      set.lowestWrittenDistanceMiles,
      set.isLowestWrittenSeen ?? false,
    ),
    chosenLabels: set.chosen === null ? [] : chosenLabels(set.chosen, set, principalType, texts),
    memberIds: set.memberIds?.split(',') ?? [],
  };
}

function chosenLabels(
  chosen: readonly ListedFacts[],
  { car, chosenNames }: DealSetSummaryFacts,
  principalType: PrincipalType,
  texts: Texts,
): string[] {
  const names = SEES_NAMES[principalType] ? chosenNames : null;
  const fallback = requestedCarLabel(texts, car);
  return chosen.map((row, place) => names?.[place] ?? carLabel(texts, row, fallback));
}

function singleEntry(single: SingleFacts, principalType: PrincipalType, texts: Texts): SingleEntry {
  return {
    kind: 'single',
    id: single.id,
    car: single.car,
    dealerLabel: SEES_NAMES[principalType]
      ? single.dealershipName
      : shortCarLabel(texts, single.car),
    section: singleSection(single),
    lowestWrittenOtdCents: single.lowestWrittenOtdCents,
    needsYou: single.needsYouCount > 0 ? 1 : 0,
    latestActivityAt: single.latestActivityAt,
  };
}
