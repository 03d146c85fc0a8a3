import type { DealSet, PriceCheck } from '../../src/database/entities.js';
import { lowestWrittenOtdCents } from '../../test/builders/lowest-price.js';
import {
  compareCodePoints,
  partition,
  rank,
  summaryOf,
} from '../../src/deal-sets/domain/ranking.js';
import type {
  DealSetFacts,
  DealSetSummaryFacts,
  NeedsYouFacts,
  PriceCheckFacts,
  SingleFacts,
} from '../../src/deal-sets/domain/facts.js';

// Converts entities to the facts that the rules accept. The rules are the service's functions:
// rewriting them would prove nothing, and they are the smallest part of this server's work.

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

function nameOf(check: PriceCheck, isAssistant: boolean): string | null {
  return check.isSeen && !isAssistant ? (check.dealership?.name ?? null) : null;
}

function checkFacts(check: PriceCheck, isAssistant: boolean): PriceCheckFacts {
  return {
    ...check,
    year: check.shownYear,
    model: check.shownModel,
    trim: check.shownTrim,
    exteriorColor: check.shownExteriorColor,
    mileage: check.shownMileage,
    listedAtCents: check.shownListedAtCents,
    writtenAt: iso(check.writtenAt),
    isChosen: check.chosenAt !== null,
    isArchived: check.archivedAt !== null,
    isVerifiedPartner: check.shownVerifiedPartner,
    distanceMiles: isAssistant ? null : check.distanceMiles,
    dealershipName: nameOf(check, isAssistant),
  };
}

type DatedItem = NeedsYouFacts & { readonly at: Date };

/** Sorts items, oldest first. */
function inOrder(items: DatedItem[]): NeedsYouFacts[] {
  const key = ({ kind, id }: DatedItem): string => `${kind} ${id}`;
  return items.sort((a, b) => a.at.getTime() - b.at.getTime() || compareCodePoints(key(a), key(b)));
}

function needsYouItems(
  check: PriceCheck,
  isAssistant: boolean,
  nameKeys: NameKeys = new Map(),
): DatedItem[] {
  if (check.ended !== null || check.archivedAt !== null) return [];
  const hiddenNameKeys = isAssistant ? null : hiddenNameKeysOf(check, nameKeys);
  const questions = (check.questions ?? [])
    .filter(({ answeredAt }) => answeredAt === null)
    .map((question) => ({
      ...question,
      kind: 'question' as const,
      at: question.askedAt,
      words: isAssistant ? null : question.text,
      hiddenNameKeys,
    }));
  const drafts = (check.drafts ?? [])
    .filter(({ resolvedAt }) => resolvedAt === null)
    .map(({ id, priceCheckId, createdAt: at, body }) => {
      const words = isAssistant ? null : body;
      return {
        kind: 'draft' as const,
        id,
        priceCheckId,
        at,
        words,
        hasMore: false,
        hiddenNameKeys,
      };
    });
  return [...questions, ...drafts];
}

/** Returns the keys of the dealership's name while it is hidden from the buyer. */
function hiddenNameKeysOf(check: PriceCheck, nameKeys: NameKeys): readonly string[] | null {
  return check.isSeen ? null : (nameKeys.get(check.dealershipId) ?? []);
}

/** The keys of the names of dealerships, by the dealership's id. */
export type NameKeys = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the facts of a deal set.
 *
 * @param nameKeys the keys with which names are masked in messages of hidden rows.
 */
export function setFacts(
  set: DealSet,
  isAssistant: boolean,
  nameKeys: NameKeys = new Map(),
): DealSetFacts {
  const checks = [...(set.members ?? [])].sort((a, b) => compareCodePoints(a.id, b.id));
  const asking = set.endedAt === null ? checks : [];
  return {
    id: set.id,
    car: {
      year: set.carYear,
      make: set.carMake,
      model: set.carModel,
      trim: isAssistant ? null : set.carTrim,
      exteriorColor: isAssistant ? null : set.carExteriorColor,
      interiorColor: isAssistant ? null : set.carInteriorColor,
      drivetrain: isAssistant ? null : set.carDrivetrain,
      powertrain: isAssistant ? null : set.carPowertrain,
    },
    buyerZip: isAssistant ? null : set.buyerZip,
    radiusMiles: isAssistant ? null : set.radiusMiles,
    dealersFound: isAssistant ? null : set.dealersFound,
    priceChecks: checks.map((check) => checkFacts(check, isAssistant)),
    needsYouItems: inOrder(asking.flatMap((check) => needsYouItems(check, isAssistant, nameKeys))),
  };
}

/** Returns the facts of a deal set's list entry. */
export function setSummaryFacts(
  set: DealSet,
  latestActivityAt: Date | null,
  isAssistant: boolean,
): DealSetSummaryFacts {
  const facts = setFacts(set, isAssistant);
  const hero = rank(facts.priceChecks)[0]?.rows[0];
  const chosen = facts.priceChecks.filter(({ isChosen }) => isChosen);
  return {
    ...facts,
    ...facts.car,
    ...summaryOf(partition(facts.priceChecks)),
    kind: 'deal_set',
    hasEnded: set.endedAt !== null,
    hasFinished: (set.members ?? []).some(
      ({ finishedAt, ended, archivedAt, answer }) =>
        finishedAt && !ended && !archivedAt && answer !== 'different_car',
    ),
    lowestWrittenOtdCents: lowestWrittenOtdCents(facts.priceChecks),
    lowestWrittenDistanceMiles: hero?.distanceMiles ?? null,
    isLowestWrittenSeen: hero?.isSeen ?? false,
    chosen,
    chosenNames: isAssistant ? null : chosen.map(({ dealershipName }) => dealershipName ?? ''),
    memberIds: facts.priceChecks.length === 0 ? null : facts.priceChecks.map(({ id }) => id).join(),
    needsYou: facts.needsYouItems.length,
    latestActivityAt: iso(latestActivityAt),
  };
}

/** Returns the facts of the list entry of a request to one dealership. */
export function singleFacts(
  check: PriceCheck,
  latestActivityAt: Date | null,
  isAssistant: boolean,
): SingleFacts {
  return {
    kind: 'single',
    id: check.id,
    year: check.shownYear,
    make: check.shownMake,
    model: check.shownModel,
    trim: check.shownTrim,
    lowestWrittenOtdCents:
      check.writtenAt === null || check.answer === 'different_car' ? null : check.otdCents,
    hasFinished: check.finishedAt !== null && check.answer !== 'different_car',
    hasEnded: check.ended !== null,
    isArchived: check.archivedAt !== null,
    dealershipName: nameOf(check, isAssistant),
    needsYou: needsYouItems(check, isAssistant).filter(({ kind }) => kind === 'question').length,
    latestActivityAt: iso(latestActivityAt),
  };
}
