import type {
  Answer,
  ChosenFacts,
  DealSetFacts,
  Ending,
  OpenItemFacts,
  PriceCheckFacts,
  RequestFacts,
} from '../domain/facts.js';
import { isoFromPg, nullableIsoFromPg } from './pg-time.js';

/** A row of the list's statements: a deal set's columns, or a single request's under the same names. */
export interface EntryRecord {
  kind: 'deal_set' | 'single';
  id: string;
  latest_activity_at: string | null;
  year: number | null;
  make: string | null;
  model: string | null;
  car_names_dealership: boolean;
  trim: string | null;
  exterior_color: string | null;
  interior_color: string | null;
  drivetrain: string | null;
  powertrain: string | null;
  buyer_zip: string | null;
  dealers_found: number | null;
  has_ended: boolean;
  is_archived: boolean;
  has_finished: boolean;
  otd_cents: number | null;
  written_at: string | null;
  dealership_name: string | null;
  written: number;
  waiting: number;
  different_car: number;
  ended: number;
  ended_with_price: number;
  closed_with_price: number;
  lowest_distance_miles: number | null;
  is_lowest_seen: boolean | null;
  chosen: string | null;
  member_ids: string | null;
  open_items: number;
}

export function requestFacts(record: EntryRecord): RequestFacts {
  const latestActivityAt = nullableIsoFromPg(record.latest_activity_at);
  if (record.kind === 'single') {
    return {
      kind: 'single',
      id: record.id,
      make: record.make,
      listing: {
        year: record.year,
        model: record.model,
        trim: record.trim,
        exteriorColor: null,
        mileage: null,
        listedAtCents: null,
      },
      otdCents: record.otd_cents,
      writtenAt: nullableIsoFromPg(record.written_at),
      hasFinished: record.has_finished,
      hasEnded: record.has_ended,
      isArchived: record.is_archived,
      dealershipName: record.dealership_name,
      openQuestionCount: record.open_items,
      latestActivityAt,
    };
  }
  return {
    kind: 'deal_set',
    id: record.id,
    car: {
      year: record.year ?? 0,
      make: record.make ?? '',
      model: record.model ?? '',
      namesDealership: record.car_names_dealership,
      trim: record.trim,
      exteriorColor: record.exterior_color,
      interiorColor: record.interior_color,
      drivetrain: record.drivetrain,
      powertrain: record.powertrain,
    },
    buyerZip: record.buyer_zip,
    dealersFound: record.dealers_found,
    hasEnded: record.has_ended,
    hasFinished: record.has_finished,
    summary: {
      written: record.written,
      waiting: record.waiting,
      differentCar: record.different_car,
      ended: record.ended,
      endedWithPrice: record.ended_with_price,
      closedWithPrice: record.closed_with_price,
    },
    lowestWrittenOtdCents: record.otd_cents,
    lowestWrittenDistanceMiles: record.lowest_distance_miles,
    isLowestWrittenSeen: record.is_lowest_seen ?? false,
    chosen: record.chosen === null ? [] : (JSON.parse(record.chosen) as ChosenFacts[]),
    // By id: the order in which rows lie in the table tells when they changed.
    memberIds: record.member_ids === null ? [] : record.member_ids.split(',').sort(),
    openItemCount: record.open_items,
    latestActivityAt,
  };
}

/** A row of the statement for one deal set: the set, a member (null: it has none), an open item of it. */
export interface MemberRecord {
  set_id: string;
  car_year: number;
  car_make: string;
  car_model: string;
  car_names_dealership: boolean;
  car_trim: string | null;
  car_exterior_color: string | null;
  car_interior_color: string | null;
  car_drivetrain: string | null;
  car_powertrain: string | null;
  buyer_zip: string | null;
  radius_miles: number | null;
  dealers_found: number | null;
  id: string | null;
  shown_year: number | null;
  shown_model: string | null;
  shown_trim: string | null;
  shown_exterior_color: string | null;
  shown_mileage: number | null;
  shown_listed_at_cents: number | null;
  shown_verified_partner: boolean;
  answer: Answer | null;
  otd_cents: number | null;
  selling_price_cents: number | null;
  written_at: string | null;
  ended: Ending | null;
  is_seen: boolean;
  is_chosen: boolean;
  is_archived: boolean;
  distance_miles: number | null;
  dealership_name: string | null;
  item_kind: 'question' | 'draft' | null;
  item_id: string;
  prompt_id: string | null;
  category: string;
  answer_mode: string;
  item_otd_cents: number | null;
  words: string | null;
  /** Null without an item, and for an assistant. */
  has_more_words: boolean | null;
  is_masked: boolean | null;
}

/** @param records at least one; the open items among them in the order they are shown. */
export function dealSetFacts(records: readonly [MemberRecord, ...MemberRecord[]]): DealSetFacts {
  const [set] = records;
  const priceChecks: PriceCheckFacts[] = [];
  const openItems: OpenItemFacts[] = [];
  const ids = new Set<string>();
  for (const record of records) {
    if (record.id === null) continue;
    if (!ids.has(record.id)) {
      ids.add(record.id);
      priceChecks.push(priceCheckFacts(record, record.id));
    }
    if (record.item_kind !== null) openItems.push(openItemFacts(record, record.id));
  }
  return {
    id: set.set_id,
    car: {
      year: set.car_year,
      make: set.car_make,
      model: set.car_model,
      namesDealership: set.car_names_dealership,
      trim: set.car_trim,
      exteriorColor: set.car_exterior_color,
      interiorColor: set.car_interior_color,
      drivetrain: set.car_drivetrain,
      powertrain: set.car_powertrain,
    },
    buyerZip: set.buyer_zip,
    radiusMiles: set.radius_miles,
    dealersFound: set.dealers_found,
    priceChecks,
    openItems,
  };
}

function priceCheckFacts(record: MemberRecord, id: string): PriceCheckFacts {
  return {
    id,
    listing: {
      year: record.shown_year,
      model: record.shown_model,
      trim: record.shown_trim,
      exteriorColor: record.shown_exterior_color,
      mileage: record.shown_mileage,
      listedAtCents: record.shown_listed_at_cents,
    },
    answer: record.answer,
    otdCents: record.otd_cents,
    sellingPriceCents: record.selling_price_cents,
    writtenAt: record.written_at === null ? null : isoFromPg(record.written_at),
    ended: record.ended,
    isSeen: record.is_seen,
    isChosen: record.is_chosen,
    isArchived: record.is_archived,
    isVerifiedPartner: record.shown_verified_partner,
    distanceMiles: record.distance_miles,
    dealershipName: record.dealership_name,
  };
}

function openItemFacts(record: MemberRecord, priceCheckId: string): OpenItemFacts {
  if (record.item_kind === 'draft') {
    return {
      kind: 'draft',
      id: record.item_id,
      priceCheckId,
      opening: record.words,
      hasMore: record.has_more_words ?? false,
      isMasked: record.is_masked ?? false,
    };
  }
  return {
    kind: 'question',
    id: record.item_id,
    priceCheckId,
    promptId: record.prompt_id,
    category: record.category,
    answerMode: record.answer_mode,
    otdCents: record.item_otd_cents,
    text: record.words,
  };
}
