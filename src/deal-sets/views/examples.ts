import type { PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts, PriceCheckFacts, RequestFacts } from '../domain/facts.js';
import { READS_WITHHELD } from '../domain/disclosure.js';
import { partition, summaryOf } from '../domain/ranking.js';
import type { DealSetResponse, ListResponse } from '../dto/responses.js';
import { dealSetResultView } from './deal-set-result-view.js';
import { listEntryView } from './list-entry-view.js';

// Examples of the API description. The service's own code computes them, so they cannot become
// outdated.
const lowest: PriceCheckFacts = {
  id: '0d8f3f5e-8d67-4d6f-8c0b-6b8f5d0c1a01',
  year: 2026,
  model: 'Outback',
  trim: 'Premium',
  exteriorColor: 'Green',
  mileage: 1240,
  listedAtCents: 3_655_000,
  answer: 'same_car',
  otdCents: 3_412_000,
  sellingPriceCents: 3_105_000,
  writtenAt: '2026-10-14T16:20:11.000Z',
  isWritten: true,
  ended: null,
  state: 'written',
  isSeen: false,
  isChosen: false,
  isArchived: false,
  isVerifiedPartner: false,
  distanceMiles: 12.4,
  dealershipName: null,
};

const set: DealSetFacts = {
  id: '5f0c1a52-7c3e-4d0e-9a51-0c7a7f6a1b01',
  car: {
    year: 2026,
    make: 'Subaru',
    model: 'Outback',
    trim: 'Premium',
    exteriorColor: null,
    interiorColor: null,
    drivetrain: 'AWD',
    powertrain: 'Gas',
  },
  buyerZip: '94536',
  radiusMiles: 100,
  dealersFound: 9,
  priceChecks: [
    lowest,
    {
      ...lowest,
      id: '0d8f3f5e-8d67-4d6f-8c0b-6b8f5d0c1a02',
      otdCents: 3_467_500,
      sellingPriceCents: null,
      writtenAt: '2026-10-14T17:02:45.000Z',
      isSeen: true,
      isVerifiedPartner: true,
      distanceMiles: 31.7,
      dealershipName: 'Redwood Subaru',
    },
    {
      ...lowest,
      id: '0d8f3f5e-8d67-4d6f-8c0b-6b8f5d0c1a03',
      writtenAt: null,
      isWritten: false,
      state: 'waiting',
      distanceMiles: 62,
    },
  ],
  needsYouItems: [
    {
      kind: 'question',
      id: '7b1c8b0a-6f0e-4b7e-8d86-1f4d4d5e0b01',
      priceCheckId: lowest.id,
      promptId: 'prompt_17',
      category: 'trade_in',
      answerMode: 'yes_no',
      otdCents: lowest.otdCents,
      words: 'Will you trade in a car?',
    },
  ],
};

const active = { hasEnded: false, isArchived: false, dealershipName: null };
const requests: readonly RequestFacts[] = [
  {
    ...set,
    ...set.car,
    ...active,
    ...summaryOf(partition(set.priceChecks)),
    kind: 'deal_set',
    hasFinished: false,
    lowestWrittenOtdCents: lowest.otdCents,
    lowestWrittenDistanceMiles: lowest.distanceMiles,
    isLowestWrittenSeen: lowest.isSeen,
    chosen: null,
    chosenNames: null,
    memberIds: set.priceChecks.map((row) => row.id).join(),
    needsYou: set.needsYouItems.length,
    latestActivityAt: '2026-10-14T17:02:45.120Z',
  },
  {
    ...active,
    kind: 'single',
    id: '3a3de3a7-2f9b-4a43-9b7f-2f6a1f0e5c01',
    year: 2024,
    make: 'Honda',
    model: 'CR-V',
    trim: 'EX-L',
    lowestWrittenOtdCents: 3_298_000,
    hasFinished: true,
    needsYou: 0,
    latestActivityAt: '2026-10-13T22:41:03.310Z',
  },
];

/** The deal set as it is read for an assistant: without names of dealerships. */
const withoutNames: DealSetFacts = {
  ...set,
  priceChecks: set.priceChecks.map((row) => ({ ...row, dealershipName: null })),
};

/** Returns a list as the handler returns it, before redaction. */
export function listExample(principalType: PrincipalType): ListResponse {
  return { data: requests.map((request) => listEntryView(request, principalType)) };
}

/** Returns a deal set as the handler returns it, before redaction. */
export function dealSetExample(principalType: PrincipalType): DealSetResponse {
  return {
    data: dealSetResultView(READS_WITHHELD[principalType] ? set : withoutNames),
  };
}
