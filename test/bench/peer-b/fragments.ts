import { READS_WITHHELD } from '../../../src/deal-sets/domain/disclosure.js';
import type { PrincipalType } from '../../../src/kernel/principal.js';

/**
 * The pieces that the reading statements are put together from, once, when the process starts. An
 * assistant's statements name no column that its role may not select; where the session reads one, the
 * assistant reads a constant null, so both have the same columns.
 */
export function forSession(viewer: PrincipalType, expression: string, type: string): string {
  return READS_WITHHELD[viewer] ? expression : `NULL::${type}`;
}

/** The buyer unlocked or chose the dealership. */
export const IS_SEEN = '(p.unlocked_at IS NOT NULL OR p.chosen_at IS NOT NULL)';

/**
 * A dealership's name, read only where the buyer may see it. One look-up by key for each such row, in
 * place of a join: no statistics can turn it into a scan of all dealerships.
 */
export function dealershipName(viewer: PrincipalType): string {
  return forSession(
    viewer,
    `CASE WHEN ${IS_SEEN} THEN (SELECT d.name FROM dealership d WHERE d.id = p.dealership_id) END`,
    'text',
  );
}

/**
 * The words of open item `i` of row `p` as the session may read them now: masked while the row is hidden.
 * A null mask means that nothing had to be replaced.
 */
export function shownWords(viewer: PrincipalType): string {
  return forSession(
    viewer,
    `CASE WHEN ${IS_SEEN} THEN i.words ELSE coalesce(i.masked_words, i.words) END`,
    'text',
  );
}

/** Whether something in those words is replaced. */
export function areWordsMasked(viewer: PrincipalType): string {
  return forSession(viewer, `(NOT ${IS_SEEN} AND i.masked_words IS NOT NULL)`, 'boolean');
}

/** The row's state as the domain's \`rowState\` has it, archived rows apart. */
const STANDING = `CASE
        WHEN p.archived_at IS NOT NULL THEN 'archived'
        WHEN p.ended IS NOT NULL THEN 'ended'
        WHEN p.answer = 'different_car' THEN 'different_car'
        WHEN p.otd_cents IS NOT NULL AND p.written_at IS NOT NULL THEN 'written'
        ELSE 'waiting' END`;

/** The order of the domain's \`rank\`: its first row is the hero. */
const HERO_FIRST = `p.otd_cents, p.shown_trim COLLATE "C" NULLS LAST, date_trunc('milliseconds', p.written_at), p.id`;

function openCount(table: 'question' | 'draft', openWhile: string): string {
  return `(SELECT count(*) FROM ${table} i
      JOIN price_check p ON p.buyer_id = i.buyer_id AND p.id = i.price_check_id
      WHERE i.buyer_id = s.buyer_id AND i.request_id = s.id AND i.${openWhile}
        AND p.deal_set_id = s.id AND p.ended IS NULL AND p.archived_at IS NULL)`;
}

function sources(viewer: PrincipalType, alias: string, shared: string, ofSession: string): string {
  return (READS_WITHHELD[viewer] ? `${shared}, ${ofSession}` : shared)
    .split(', ')
    .map((column) => `${alias}.${column}`)
    .join(', ');
}

/** The stored columns of a deal set of `dealSetColumns`. */
export function dealSetSources(viewer: PrincipalType): string {
  return sources(
    viewer,
    's',
    'buyer_id, id, car_year, car_make, car_model, car_names_dealership, ended_at',
    'car_trim, car_exterior_color, car_interior_color, car_drivetrain, car_powertrain, buyer_zip, dealers_found',
  );
}

/** The stored columns of a single request of `singleColumns`. */
export function singleSources(viewer: PrincipalType): string {
  return sources(
    viewer,
    'p',
    'buyer_id, id, shown_year, shown_make, shown_model, shown_trim, ended, archived_at, finished_at, otd_cents, written_at',
    'unlocked_at, chosen_at, dealership_id',
  );
}

/** Columns of a deal set \`s\` with its figures \`g\`, and the same columns of a single request \`p\`. */
export function dealSetColumns(viewer: PrincipalType): string {
  const session = (column: string, type = 'text'): string =>
    forSession(viewer, `s.${column}`, type);
  return `'deal_set' AS kind, s.id,
    s.car_year AS year, s.car_make AS make, s.car_model AS model, s.car_names_dealership,
    ${session('car_trim')} AS trim,
    ${session('car_exterior_color')} AS exterior_color, ${session('car_interior_color')} AS interior_color,
    ${session('car_drivetrain')} AS drivetrain, ${session('car_powertrain')} AS powertrain,
    ${session('buyer_zip')} AS buyer_zip, ${session('dealers_found', 'integer')} AS dealers_found,
    s.ended_at IS NOT NULL AS has_ended, false AS is_archived, g.has_finished,
    g.lowest_otd_cents AS otd_cents, NULL::text AS dealership_name,
    g.written, g.waiting, g.different_car, g.ended, g.ended_with_price, g.closed_with_price,
    g.lowest_distance_miles, g.is_lowest_seen, g.chosen, g.member_ids,
    CASE WHEN s.ended_at IS NULL THEN ${openCount('question', 'answered_at IS NULL')}
      + ${openCount('draft', 'resolved_at IS NULL')} ELSE 0 END AS open_items`;
}

export function singleColumns(viewer: PrincipalType): string {
  const nothing = [
    'written',
    'waiting',
    'different_car',
    'ended',
    'ended_with_price',
    'closed_with_price',
  ]
    .map((figure) => `NULL::bigint AS ${figure}`)
    .join(', ');
  return `'single' AS kind, p.id,
    p.shown_year AS year, p.shown_make AS make, p.shown_model AS model, false AS car_names_dealership,
    p.shown_trim AS trim,
    NULL::text AS exterior_color, NULL::text AS interior_color, NULL::text AS drivetrain,
    NULL::text AS powertrain, NULL::text AS buyer_zip, NULL::integer AS dealers_found,
    p.ended IS NOT NULL AS has_ended, p.archived_at IS NOT NULL AS is_archived,
    p.finished_at IS NOT NULL AS has_finished,
    CASE WHEN p.written_at IS NOT NULL THEN p.otd_cents END AS otd_cents,
    ${dealershipName(viewer)} AS dealership_name,
    ${nothing},
    NULL::double precision AS lowest_distance_miles, NULL::boolean AS is_lowest_seen, NULL::text AS chosen,
    NULL::text AS member_ids,
    CASE WHEN p.ended IS NULL AND p.archived_at IS NULL THEN (
      SELECT count(*) FROM question q
      WHERE q.buyer_id = p.buyer_id AND q.request_id = p.id AND q.price_check_id = p.id
        AND q.answered_at IS NULL) ELSE 0 END AS open_items`;
}

/** One pass over the members of deal set \`s\`: its figures \`g\`. */
export function dealSetFigures(viewer: PrincipalType): string {
  const ofHero = (expression: string, type: string): string =>
    forSession(
      viewer,
      `(array_agg(${expression} ORDER BY ${HERO_FIRST}) FILTER (WHERE v.standing = 'written'))[1]`,
      type,
    );
  return `CROSS JOIN LATERAL (
    SELECT
      count(*) FILTER (WHERE v.standing = 'written') AS written,
      count(*) FILTER (WHERE v.standing = 'waiting') AS waiting,
      count(*) FILTER (WHERE v.standing = 'different_car') AS different_car,
      count(*) FILTER (WHERE v.standing = 'ended') AS ended,
      count(*) FILTER (WHERE v.standing = 'ended' AND (v.is_priced OR p.ended = 'closed_with_price'))
        AS ended_with_price,
      count(*) FILTER (WHERE v.standing = 'ended' AND p.ended = 'closed_with_price') AS closed_with_price,
      coalesce(bool_or(p.finished_at IS NOT NULL) FILTER (WHERE v.standing NOT IN ('ended', 'archived')), false)
        AS has_finished,
      coalesce(
        min(p.otd_cents) FILTER (WHERE v.standing = 'written'),
        min(p.otd_cents) FILTER (WHERE v.standing = 'ended' AND v.is_priced AND v.is_same_car),
        min(p.otd_cents) FILTER (WHERE v.standing = 'archived' AND v.is_priced AND v.is_same_car),
        min(p.otd_cents) FILTER (WHERE v.is_priced)
      ) AS lowest_otd_cents,
      ${ofHero('p.distance_miles', 'double precision')} AS lowest_distance_miles,
      ${ofHero(IS_SEEN, 'boolean')} AS is_lowest_seen,
      (json_agg(json_build_object(
        'year', p.shown_year, 'model', p.shown_model, 'trim', p.shown_trim,
        'exteriorColor', p.shown_exterior_color, 'mileage', p.shown_mileage,
        'listedAtCents', p.shown_listed_at_cents, 'dealershipName', ${dealershipName(viewer)}
      ) ORDER BY p.id) FILTER (WHERE p.chosen_at IS NOT NULL))::text AS chosen,
      string_agg(p.id::text, ',') AS member_ids
    FROM price_check p
    CROSS JOIN LATERAL (SELECT
      ${STANDING} AS standing,
      p.otd_cents IS NOT NULL AND p.written_at IS NOT NULL AS is_priced,
      p.answer IS DISTINCT FROM 'different_car' AS is_same_car
    ) v
    WHERE p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
  ) g`;
}
