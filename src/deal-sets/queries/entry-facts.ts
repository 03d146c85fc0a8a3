import type { DealSetSummaryFacts, SingleFacts } from '../domain/facts.js';
import { column, outerColumns, sessionOnly, type CatalogueOf } from './fact-columns.js';
import { DEAL_SET_FACTS } from './result-facts.js';

/**
 * A sub-select by key: with a join, wrong statistics could make the planner scan all dealerships.
 */
const CHOSEN_NAMES = `CASE WHEN r.chosen_dealership_ids IS NOT NULL THEN (
    SELECT json_agg((SELECT d.name FROM deal_sets.dealership d WHERE d.id = c.id) ORDER BY c.place)
    FROM unnest(r.chosen_dealership_ids) WITH ORDINALITY AS c (id, place)) END`;
const DEALERSHIP_NAME = `CASE WHEN r.dealership_id IS NOT NULL THEN (
    SELECT d.name FROM deal_sets.dealership d WHERE d.id = r.dealership_id) END`;

// The facts of an entry of the list. `r` is the request's row in the read model (`request_feed`);
// `requested` are the facts of its deal set that are withheld from assistants, whose statements do not
// read them.

const { trim, exteriorColor, interiorColor, drivetrain, powertrain } = DEAL_SET_FACTS.car;
const { buyerZip, dealersFound } = DEAL_SET_FACTS;

/** The facts that the session's statements read from the deal set `s` of an entry. */
export const REQUESTED_FACTS = {
  trim,
  exteriorColor,
  interiorColor,
  drivetrain,
  powertrain,
  buyerZip,
  dealersFound,
};

/** The facts of both kinds of requests. */
const REQUEST_FACTS = {
  id: column<string>('r.request_id'),
  hasEnded: column<boolean>('r.has_ended'),
  hasFinished: column<boolean>('r.has_finished'),
  lowestWrittenOtdCents: column<number | null>('r.lowest_written_otd_cents'),
  needsYou: column<number>('r.needs_you'),
  latestActivityAt: column<string | null>('CASE WHEN r.is_time_known THEN r.feed_at END'),
};

/**
 * The car that the buyer requested; for a single request, the car of the listing, of which each
 * part can be null. The trim of a listing is shown to everyone. The trim that the buyer asked for
 * is withheld from assistants. Only one of the two exists.
 */
const CAR_FACTS = {
  year: column<number>('r.car_year'),
  make: column<string>('r.car_make'),
  model: column<string>('r.car_model'),
  trim: column<string | null>('coalesce(r.listed_trim, requested.trim)', 'r.listed_trim'),
};

const DEAL_SET_ENTRY_FACTS = {
  ...REQUEST_FACTS,
  kind: column<'deal_set'>('r.kind'),
  ...outerColumns('requested', REQUESTED_FACTS),
  ...CAR_FACTS,
  written: column('r.written'),
  waiting: column('r.waiting'),
  differentCar: column('r.different_car'),
  ended: column('r.ended'),
  endedWithPrice: column('r.ended_with_price'),
  closedWithPrice: column('r.closed_with_price'),
  lowestWrittenDistanceMiles: sessionOnly(
    column('r.lowest_written_distance_miles'),
    'double precision',
  ),
  isLowestWrittenSeen: sessionOnly(column('r.is_lowest_written_seen'), 'boolean'),
  chosen: column('r.chosen'),
  chosenNames: sessionOnly(column(CHOSEN_NAMES), 'json'),
  memberIds: column('r.member_ids'),
} satisfies CatalogueOf<DealSetSummaryFacts>;

const SINGLE_ENTRY_FACTS = {
  ...REQUEST_FACTS,
  kind: column<'single'>('r.kind'),
  ...CAR_FACTS,
  isArchived: column('r.is_archived'),
  dealershipName: sessionOnly(column(DEALERSHIP_NAME), 'text'),
} satisfies CatalogueOf<SingleFacts>;

/**
 * The facts that a statement of entries selects: those of both kinds of requests. They agree where
 * they have the same name. A row also contains the facts of the other kind, which are null.
 */
export const ENTRY_FACTS = { ...SINGLE_ENTRY_FACTS, ...DEAL_SET_ENTRY_FACTS };
