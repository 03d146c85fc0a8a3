import type { Client } from 'pg';
import type { PriceCheckFacts } from '../../../src/deal-sets/domain/facts.js';
import { partition, summaryOf } from '../../../src/deal-sets/domain/ranking.js';
import { NEW_PRICE_CHECK, withDerivedFacts } from '../../builders/arbitrary-facts.js';
import { lowestWrittenOtdCents } from '../../builders/lowest-price.js';

/** Rows of the read model under the names of the facts, by kind and id of the request. */
type ModelRows = Record<string, Readonly<Record<string, unknown>>>;

/** A price check as the domain reads it, and the other columns that the read model has of it. */
type PriceCheck = PriceCheckFacts & {
  readonly dealSetId: string | null;
  readonly dealershipId: string;
  readonly make: string | null;
  readonly requestedAt: Date;
  readonly hasFinished: boolean;
  readonly questions: number;
  readonly drafts: number;
};

interface DealSet {
  readonly id: string;
  readonly year: number;
  readonly make: string;
  readonly model: string;
  readonly requestedAt: Date;
  readonly hasEnded: boolean;
}

const STORED = `
  SELECT kind || ':' || request_id AS key, requested_at AS "requestedAt", is_active AS "isActive",
    has_ended AS "hasEnded", is_archived AS "isArchived", has_finished AS "hasFinished", car_year AS year,
    car_make AS make, car_model AS model, listed_trim AS trim,
    written, waiting, different_car AS "differentCar", ended, ended_with_price AS "endedWithPrice",
    closed_with_price AS "closedWithPrice", lowest_written_otd_cents::float8 AS "lowestWrittenOtdCents",
    needs_you AS "needsYou", member_ids AS "memberIds", chosen,
    lowest_written_distance_miles AS "lowestWrittenDistanceMiles", is_lowest_written_seen AS "isLowestWrittenSeen",
    chosen_dealership_ids AS "chosenDealershipIds", dealership_id AS "dealershipId",
    is_marked AS "isMarked"
  FROM deal_sets.request_feed`;
const DEAL_SETS = `
  SELECT id, car_year AS year, car_make AS make, car_model AS model, created_at AS "requestedAt",
    ended_at IS NOT NULL AS "hasEnded"
  FROM deal_sets.deal_set`;
const PRICE_CHECKS = `
  SELECT id, answer, otd_cents::float8 AS "otdCents", written_at::text AS "writtenAt", ended,
    unlocked_at IS NOT NULL OR chosen_at IS NOT NULL AS "isSeen", chosen_at IS NOT NULL AS "isChosen",
    archived_at IS NOT NULL AS "isArchived", distance_miles AS "distanceMiles", shown_make AS make,
    shown_year AS year, shown_model AS model, shown_trim AS trim, shown_mileage AS mileage,
    shown_exterior_color AS "exteriorColor", shown_listed_at_cents::float8 AS "listedAtCents",
    deal_set_id AS "dealSetId", dealership_id AS "dealershipId", requested_at AS "requestedAt",
    finished_at IS NOT NULL AND answer IS DISTINCT FROM 'different_car' AS "hasFinished",
    (SELECT count(*)::int FROM deal_sets.question q
     WHERE q.buyer_id = p.buyer_id AND q.price_check_id = p.id AND q.answered_at IS NULL) AS questions,
    (SELECT count(*)::int FROM deal_sets.draft d
     WHERE d.buyer_id = p.buyer_id AND d.price_check_id = p.id AND d.resolved_at IS NULL) AS drafts
  FROM deal_sets.price_check p ORDER BY id`;

/** Every request as the read model stores it and as the domain computes it, in one snapshot. */
export async function modelRows(
  client: Client,
): Promise<{ readonly stored: ModelRows; readonly expected: ModelRows }> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const feed = await client.query<{ key: string }>(STORED);
    const { rows: sets } = await client.query<DealSet>(DEAL_SETS);
    const found = await client.query<PriceCheck>(PRICE_CHECKS);
    const checks = found.rows.map((check) => withDerivedFacts({ ...NEW_PRICE_CHECK, ...check }));
    const membersOf = (set: string | null) => checks.filter(({ dealSetId }) => dealSetId === set);
    return {
      stored: Object.fromEntries(feed.rows.map(({ key, ...row }) => [key, row])),
      expected: Object.fromEntries([
        ...sets.map((set) => [`deal_set:${set.id}`, ofDealSet(set, membersOf(set.id))]),
        ...membersOf(null).map((check) => [`single:${check.id}`, ofSingle(check)]),
      ]) as ModelRows,
    };
  } finally {
    await client.query('COMMIT');
  }
}

const isOpen = (row: PriceCheck): boolean => row.ended === null && !row.isArchived;
const chosenFacts = ({
  year,
  model,
  trim,
  exteriorColor,
  mileage,
  listedAtCents,
  answer,
}: PriceCheck): object => ({ year, model, trim, exteriorColor, mileage, listedAtCents, answer });
const unlessEmpty = <T>(list: readonly T[]): readonly T[] | null => (list.length > 0 ? list : null);

function ofDealSet({ id: _, ...set }: DealSet, rows: readonly PriceCheck[]): object {
  const parts = partition(rows);
  const hero = parts.ranked[0]?.rows[0];
  const open = rows.filter(isOpen);
  const chosen = rows.filter(({ isChosen }) => isChosen);
  return {
    ...set,
    isActive: !set.hasEnded,
    isArchived: false,
    hasFinished: open.some(({ hasFinished }) => hasFinished),
    trim: null,
    ...summaryOf(parts),
    lowestWrittenOtdCents: lowestWrittenOtdCents(rows),
    needsYou: set.hasEnded ? 0 : open.reduce((sum, row) => sum + row.questions + row.drafts, 0),
    memberIds: unlessEmpty(rows.map(({ id }) => id))?.join() ?? null,
    chosen: unlessEmpty(chosen.map(chosenFacts)),
    lowestWrittenDistanceMiles: hero?.distanceMiles ?? null,
    isLowestWrittenSeen: hero?.isSeen ?? null,
    chosenDealershipIds: unlessEmpty(chosen.map(({ dealershipId }) => dealershipId)),
    dealershipId: null,
    isMarked: false,
  };
}

function ofSingle(row: PriceCheck): object {
  const { year, model, trim } = row;
  return {
    requestedAt: row.requestedAt,
    isActive: isOpen(row),
    hasEnded: row.ended !== null,
    isArchived: row.isArchived,
    hasFinished: row.hasFinished,
    year,
    make: row.make,
    model,
    trim,
    written: null,
    waiting: null,
    differentCar: null,
    ended: null,
    endedWithPrice: null,
    closedWithPrice: null,
    lowestWrittenOtdCents: lowestWrittenOtdCents([row]),
    needsYou: isOpen(row) ? row.questions : 0,
    memberIds: null,
    chosen: null,
    lowestWrittenDistanceMiles: null,
    isLowestWrittenSeen: null,
    chosenDealershipIds: null,
    dealershipId: row.isSeen ? row.dealershipId : null,
    isMarked: false,
  };
}
