import { readerStatements } from '../../../src/deal-sets/queries/statements.js';
import type { PrincipalType } from '../../../src/kernel/principal.js';

/** The service's own texts on its read model, under the names of this peer's rows. */
const ENTRY = `"kind" AS kind, "id" AS id, "latestActivityAt" AS latest_activity_at, "car.year" AS year, "car.make" AS make,
  "car.model" AS model, "car.namesDealership" AS car_names_dealership, "car.trim" AS trim,
  "car.exteriorColor" AS exterior_color, "car.interiorColor" AS interior_color, "car.drivetrain" AS drivetrain,
  "car.powertrain" AS powertrain, "buyerZip" AS buyer_zip, "dealersFound" AS dealers_found,
  "hasEnded" AS has_ended, "isArchived" AS is_archived, "hasFinished" AS has_finished,
  "lowestWrittenOtdCents" AS otd_cents, "dealershipName" AS dealership_name, "summary.written" AS written,
  "summary.waiting" AS waiting, "summary.differentCar" AS different_car, "summary.ended" AS ended,
  "summary.endedWithPrice" AS ended_with_price, "summary.closedWithPrice" AS closed_with_price,
  "lowestWrittenDistanceMiles" AS lowest_distance_miles, "isLowestWrittenSeen" AS is_lowest_seen,
  "chosen"::text AS chosen, "chosenNames"::text AS chosen_names, "memberIds" AS member_ids,
  "needsYouCount" AS open_items`;

export function readModelStatements(principalType: PrincipalType): {
  active: string;
  changedSince: string;
} {
  const { active, changedSince } = readerStatements(principalType);
  return {
    active: `SELECT ${ENTRY} FROM (${active.text}) e`,
    changedSince: `SELECT floor(extract(epoch FROM "feedAt") * 1000)::bigint AS page_edge_ms,
  "isNewest" IS FALSE AS has_more, "newestMs" AS newest_ms, ${ENTRY} FROM (${changedSince.text}) e`,
  };
}
