import type { DealSetSummaryFacts, RequestFacts, SingleFacts } from '../domain/facts.js';
import { column, sessionOnly, type FactRow } from './fact-columns.js';

/**
 * A sub-select by key: with a join, wrong statistics could make the planner scan all dealerships.
 */
const CHOSEN_NAMES = `CASE WHEN r.chosen_dealership_ids IS NOT NULL THEN (
    SELECT json_agg((SELECT d.name FROM deal_sets.dealership d WHERE d.id = c.id) ORDER BY c.place)
    FROM unnest(r.chosen_dealership_ids) WITH ORDINALITY AS c (id, place)) END`;
const DEALERSHIP_NAME = `CASE WHEN r.dealership_id IS NOT NULL THEN (
    SELECT d.name FROM deal_sets.dealership d WHERE d.id = r.dealership_id) END`;

/**
 * The facts of an entry of the list. `r` is the request's row in the read model (`request_feed`);
 * `s` is its deal set, which is read only for facts that are withheld from assistants.
 */
export const ENTRY_FACTS = {
  kind: column<'deal_set' | 'single'>('r.kind'),
  id: column<string>('r.request_id'),
  latestActivityAt: column<string | null>('CASE WHEN r.is_time_known THEN r.feed_at END'),
  hasEnded: column<boolean>('r.has_ended'),
  isArchived: column<boolean>('r.is_archived'),
  hasFinished: column<boolean>('r.has_finished'),
  carYear: column<number | null>('r.car_year'),
  carMake: column<string | null>('r.car_make'),
  carModel: column<string | null>('r.car_model'),
  /** The trim of a single request, as its listing shows it. */
  listedTrim: column<string | null>('r.listed_trim'),
  /** The trim of a deal set, as the buyer configured it. */
  requestedTrim: sessionOnly(column<string | null>('s.car_trim'), 'text'),
  exteriorColor: sessionOnly(column<string | null>('s.car_exterior_color'), 'text'),
  interiorColor: sessionOnly(column<string | null>('s.car_interior_color'), 'text'),
  drivetrain: sessionOnly(column<string | null>('s.car_drivetrain'), 'text'),
  powertrain: sessionOnly(column<string | null>('s.car_powertrain'), 'text'),
  buyerZip: sessionOnly(column<string | null>('s.buyer_zip'), 'text'),
  dealersFound: sessionOnly(column<number | null>('s.dealers_found'), 'integer'),
  written: column<number | null>('r.written'),
  waiting: column<number | null>('r.waiting'),
  differentCar: column<number | null>('r.different_car'),
  ended: column<number | null>('r.ended'),
  endedWithPrice: column<number | null>('r.ended_with_price'),
  closedWithPrice: column<number | null>('r.closed_with_price'),
  lowestWrittenOtdCents: column<number | null>('r.lowest_written_otd_cents'),
  needsYou: column<number>('r.needs_you'),
  memberIds: column<string | null>('r.member_ids'),
  chosen: column<DealSetSummaryFacts['chosen']>('r.chosen'),
  lowestWrittenDistanceMiles: sessionOnly(
    column<number | null>('r.lowest_written_distance_miles'),
    'double precision',
  ),
  isLowestWrittenSeen: sessionOnly(column<boolean | null>('r.is_lowest_written_seen'), 'boolean'),
  chosenNames: sessionOnly(column<readonly string[] | null>(CHOSEN_NAMES), 'json'),
  dealershipName: sessionOnly(column<string | null>(DEALERSHIP_NAME), 'text'),
};

/** A row of a statement that selects the facts of entries. */
export type EntryRow = FactRow<typeof ENTRY_FACTS>;

/** Returns the facts of one entry of the list. */
export function requestFacts(row: EntryRow): RequestFacts {
  return row.kind === 'deal_set' ? dealSetSummaryFacts(row) : singleFacts(row);
}

function dealSetSummaryFacts(row: EntryRow): DealSetSummaryFacts {
  return {
    kind: 'deal_set',
    id: row.id,
    hasEnded: row.hasEnded,
    hasFinished: row.hasFinished,
    lowestWrittenOtdCents: row.lowestWrittenOtdCents,
    needsYou: row.needsYou,
    latestActivityAt: row.latestActivityAt,
    car: {
      year: stored(row.carYear),
      make: stored(row.carMake),
      model: stored(row.carModel),
      trim: row.requestedTrim,
      exteriorColor: row.exteriorColor,
      interiorColor: row.interiorColor,
      drivetrain: row.drivetrain,
      powertrain: row.powertrain,
    },
    buyerZip: row.buyerZip,
    dealersFound: row.dealersFound,
    summary: {
      written: stored(row.written),
      waiting: stored(row.waiting),
      differentCar: stored(row.differentCar),
      ended: stored(row.ended),
      endedWithPrice: stored(row.endedWithPrice),
      closedWithPrice: stored(row.closedWithPrice),
    },
    lowestWrittenDistanceMiles: row.lowestWrittenDistanceMiles,
    isLowestWrittenSeen: row.isLowestWrittenSeen,
    chosen: row.chosen,
    chosenNames: row.chosenNames,
    memberIds: row.memberIds,
  };
}

function singleFacts(row: EntryRow): SingleFacts {
  return {
    kind: 'single',
    id: row.id,
    hasEnded: row.hasEnded,
    hasFinished: row.hasFinished,
    isArchived: row.isArchived,
    lowestWrittenOtdCents: row.lowestWrittenOtdCents,
    needsYou: row.needsYou,
    latestActivityAt: row.latestActivityAt,
    car: {
      year: row.carYear,
      make: row.carMake,
      model: row.carModel,
      trim: row.listedTrim,
    },
    dealershipName: row.dealershipName,
  };
}

/**
 * Returns a value that the read model stores for every deal set.
 *
 * @throws {TypeError} if the value is null.
 */
function stored<Value>(value: Value | null): Value {
  if (value === null) throw new TypeError('the read model lacks a value of a deal set');
  return value;
}
