import type { Client } from 'pg';
import { NEW_PRICE_CHECK, type PriceCheckFacts } from '../../../src/deal-sets/domain/facts.js';
import { lowestWrittenOtdCents } from '../../builders/lowest-price.js';
import { partition, summaryOf } from '../../../src/deal-sets/domain/ranking.js';

/** A row of the read model under the names of the facts, as it is stored and as the domain computes it. */
export type ModelRow = Readonly<Record<string, unknown>>;

export interface ModelRows {
  readonly stored: Readonly<Record<string, ModelRow>>;
  readonly expected: Readonly<Record<string, ModelRow>>;
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

interface PriceCheckRow {
  readonly buyer_id: string;
  readonly id: string;
  readonly deal_set_id: string | null;
  readonly dealership_id: string;
  readonly shown_year: number | null;
  readonly shown_make: string | null;
  readonly shown_model: string | null;
  readonly shown_trim: string | null;
  readonly shown_exterior_color: string | null;
  readonly shown_mileage: number | null;
  readonly listed_at_cents: number | null;
  readonly answer: PriceCheckFacts['answer'];
  readonly otd_cents: number | null;
  readonly written_at: Date | null;
  readonly finished_at: Date | null;
  readonly ended: PriceCheckFacts['ended'];
  readonly unlocked_at: Date | null;
  readonly chosen_at: Date | null;
  readonly archived_at: Date | null;
  readonly requested_at: Date;
  readonly distance_miles: number | null;
}

interface DealSetRow {
  readonly buyer_id: string;
  readonly id: string;
  readonly car_year: number;
  readonly car_make: string;
  readonly car_model: string;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

/** Every request as the read model has it and as the domain says, all of one snapshot. */
export async function modelRows(client: Client): Promise<ModelRows> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const { rows: feed } = await client.query<Record<string, unknown>>(
      `SELECT kind || ':' || request_id AS key, requested_at AS "requestedAt", is_active AS "isActive",
         has_ended AS "hasEnded", is_archived AS "isArchived", has_finished AS "hasFinished", car_year AS year,
         car_make AS make, car_model AS model, car_trim AS trim,
         written, waiting, different_car AS "differentCar", ended, ended_with_price AS "endedWithPrice",
         closed_with_price AS "closedWithPrice", lowest_written_otd_cents::float8 AS "lowestWrittenOtdCents",
         open_items AS "needsYouCount", member_ids AS "memberIds", chosen,
         hero_distance_miles AS "heroDistanceMiles", is_hero_seen AS "isHeroSeen",
         chosen_dealership_ids AS "chosenDealershipIds", dealership_id AS "dealershipId",
         needs_recompute OR is_pending AS "isMarked"
       FROM request_feed`,
    );
    const { rows: sets } = await client.query<DealSetRow>('SELECT * FROM deal_set');
    const { rows: checks } = await client.query<PriceCheckRow>(
      `SELECT *, otd_cents::float8 AS otd_cents, shown_listed_at_cents::float8 AS listed_at_cents
       FROM price_check ORDER BY id`,
    );
    const { rows: questions } = await client.query<{ of: string }>(
      'SELECT price_check_id AS of FROM question WHERE answered_at IS NULL',
    );
    const { rows: drafts } = await client.query<{ of: string }>(
      'SELECT price_check_id AS of FROM draft WHERE resolved_at IS NULL',
    );
    const expected = Object.fromEntries([
      ...sets.map((set) => [`deal_set:${set.id}`, dealSetRow(set, checks, questions, drafts)]),
      ...checks
        .filter((check) => check.deal_set_id === null)
        .map((check) => [`single:${check.id}`, singleRow(check, questions)]),
    ]) as Record<string, ModelRow>;
    const stored = Object.fromEntries(
      feed.map(({ key, requestedAt, ...row }) => [
        String(key),
        { ...row, requestedAt: iso(requestedAt as Date | null) },
      ]),
    );
    return { stored, expected };
  } finally {
    await client.query('COMMIT');
  }
}

function facts(row: PriceCheckRow): PriceCheckFacts {
  return {
    ...NEW_PRICE_CHECK,
    id: row.id,
    listing: listing(row),
    answer: row.answer,
    otdCents: row.otd_cents,
    writtenAt: iso(row.written_at),
    ended: row.ended,
    isSeen: row.unlocked_at !== null || row.chosen_at !== null,
    isChosen: row.chosen_at !== null,
    isArchived: row.archived_at !== null,
    distanceMiles: row.distance_miles,
  };
}

function listing(row: PriceCheckRow): PriceCheckFacts['listing'] {
  return {
    year: row.shown_year,
    model: row.shown_model,
    trim: row.shown_trim,
    exteriorColor: row.shown_exterior_color,
    mileage: row.shown_mileage,
    listedAtCents: row.listed_at_cents,
  };
}

type ItemRow = { readonly of: string };
const isOpen = (row: PriceCheckRow): boolean => row.ended === null && row.archived_at === null;

function dealSetRow(
  set: DealSetRow,
  checks: readonly PriceCheckRow[],
  questions: readonly ItemRow[],
  drafts: readonly ItemRow[],
): ModelRow {
  const rows = checks.filter((check) => check.deal_set_id === set.id);
  const members = rows.map(facts);
  const parts = partition(members);
  const hero = parts.ranked[0]?.rows[0];
  const open = new Set(rows.filter(isOpen).map(({ id }) => id));
  const chosen = rows.filter((row) => row.chosen_at !== null);
  return {
    requestedAt: iso(set.created_at),
    isActive: set.ended_at === null,
    hasEnded: set.ended_at !== null,
    isArchived: false,
    hasFinished: rows.some(
      (row) => isOpen(row) && row.answer !== 'different_car' && row.finished_at !== null,
    ),
    year: set.car_year,
    make: set.car_make,
    model: set.car_model,
    trim: null,
    ...summaryOf(parts),
    lowestWrittenOtdCents: lowestWrittenOtdCents(members),
    needsYouCount:
      set.ended_at === null ? [...questions, ...drafts].filter(({ of }) => open.has(of)).length : 0,
    memberIds: rows.length === 0 ? null : rows.map(({ id }) => id).join(),
    chosen: chosen.length === 0 ? null : chosen.map(listing),
    heroDistanceMiles: hero?.distanceMiles ?? null,
    isHeroSeen: hero?.isSeen ?? null,
    chosenDealershipIds: chosen.length === 0 ? null : chosen.map((row) => row.dealership_id),
    dealershipId: null,
    isMarked: false,
  };
}

function singleRow(row: PriceCheckRow, questions: readonly ItemRow[]): ModelRow {
  const isSeen = row.unlocked_at !== null || row.chosen_at !== null;
  return {
    requestedAt: iso(row.requested_at),
    isActive: isOpen(row),
    hasEnded: row.ended !== null,
    isArchived: row.archived_at !== null,
    hasFinished: row.finished_at !== null && row.answer !== 'different_car',
    year: row.shown_year,
    make: row.shown_make,
    model: row.shown_model,
    trim: row.shown_trim,
    written: null,
    waiting: null,
    differentCar: null,
    ended: null,
    endedWithPrice: null,
    closedWithPrice: null,
    lowestWrittenOtdCents: row.written_at === null ? null : row.otd_cents,
    needsYouCount: isOpen(row) ? questions.filter(({ of }) => of === row.id).length : 0,
    memberIds: null,
    chosen: null,
    heroDistanceMiles: null,
    isHeroSeen: null,
    chosenDealershipIds: null,
    dealershipId: isSeen ? row.dealership_id : null,
    isMarked: false,
  };
}
