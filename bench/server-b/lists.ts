import {
  ACTIVE_DEAL_SETS,
  ACTIVE_SINGLES,
  FEED_PAGE,
} from '../../src/deal-sets/queries/entry-statements.js';
import { shownDistanceMiles } from '../../src/deal-sets/domain/disclosure.js';
import {
  dealSetSection,
  singleSection,
  type Section,
} from '../../src/deal-sets/domain/row-state.js';
import { ENGLISH } from '../../src/deal-sets/domain/english-texts.js';
import { carLabel, shortCarLabel } from '../../src/deal-sets/domain/labels.js';
import type { PrincipalType } from '../../src/kernel/principal.js';
import {
  column,
  json,
  jsonObject,
  LISTED,
  nameIf,
  own,
  quoted,
  REQUESTED,
  requestedCar,
  requestedLabel,
  select,
  type RowOf,
  storedColumns,
} from './columns.js';

// The list is aggregated over the normalized tables on every read, as in a server without a read
// model.

const LATEST = 'CASE WHEN f.is_time_known THEN f.feed_at END';
const openItems = (table: 'question' | 'draft', isOpen: string): string =>
  `(SELECT count(*) FROM deal_sets.${table} i JOIN deal_sets.price_check p ON p.buyer_id = i.buyer_id AND p.id = i.price_check_id
    WHERE i.buyer_id = s.buyer_id AND i.request_id = s.id AND i.${isOpen} IS NULL
      AND p.deal_set_id = s.id AND p.ended IS NULL AND p.archived_at IS NULL)`;

/** An entry: deal set `s` with its counts `g`, or single request `p`. */
const ENTRY = {
  kind: column.word(`'deal_set'`, `'single'`),
  id: column.word('s.id', 'p.id'),
  latestAt: column.text(LATEST, LATEST),
  ...REQUESTED,
  hasEnded: column.flag('s.ended_at IS NOT NULL', 'p.ended IS NOT NULL'),
  isArchived: column.flag('false', 'p.archived_at IS NOT NULL'),
  hasFinished: column.flag(
    'g.has_finished',
    `p.finished_at IS NOT NULL AND p.answer IS DISTINCT FROM 'different_car'`,
  ),
  otdCents: column.number(
    'g.lowest_otd_cents',
    `CASE WHEN p.is_written AND p.answer IS DISTINCT FROM 'different_car' THEN p.otd_cents END`,
  ),
  dealershipName: column.text('NULL::text', own(nameIf('p.is_seen'))),
  written: column.count('g.written'),
  waiting: column.count('g.waiting'),
  differentCar: column.count('g.different_car'),
  ended: column.count('g.ended'),
  endedWithPrice: column.count('g.ended_with_price'),
  closedWithPrice: column.count('g.closed_with_price'),
  heroMiles: column.number(own('g.hero_miles', 'double precision')),
  isHeroSeen: column.flag('g.is_hero_seen'),
  chosen: column.text('g.chosen'),
  memberIds: column.text('g.member_ids'),
  openItems: column.count(
    `CASE WHEN s.ended_at IS NULL THEN ${openItems('question', 'answered_at')} + ${openItems('draft', 'resolved_at')} ELSE 0 END`,
    `CASE WHEN p.ended IS NULL AND p.archived_at IS NULL THEN (
      SELECT count(*) FROM deal_sets.question q WHERE q.buyer_id = p.buyer_id AND q.request_id = p.id
        AND q.price_check_id = p.id AND q.answered_at IS NULL) ELSE 0 END`,
  ),
};
type Entry = RowOf<typeof ENTRY>;

/**
 * A row of a page, with the columns of an entry and the columns of its page. An empty page returns
 * one row in which every column of the entry is null.
 */
export interface PageRow extends Entry {
  readonly hasMore: boolean;
  readonly edgeMs: number | null;
  readonly newestMs: number | null;
}

/** Returns the SQL that aggregates the price checks of deal set `s` in one pass, as `g`. */
function figures(viewer: PrincipalType): string {
  const among = (what: string, where: string): string => `${what} FILTER (WHERE ${where})`;
  const lowest = (where: string): string => among('min(p.otd_cents)', where);
  const tally = (where: string) => column.count(among('count(*)', where));
  const standing = (name: string): string => `v.standing = '${name}'`;
  const endedForSameCar = `${standing('ended')} AND v.is_same_car`;
  const closed = `p.ended = 'closed_with_price'`;
  // Sorts like the ranking, whose first row is the hero.
  const hero = (sql: string): string =>
    `(${among(`array_agg(${sql} ORDER BY p.otd_cents, p.shown_trim COLLATE "C" NULLS LAST, date_trunc('milliseconds', p.written_at), p.id)`, standing('written'))})[1]`;
  const columns = {
    written: tally(standing('written')),
    waiting: tally(standing('waiting')),
    different_car: tally(standing('different_car')),
    ended: tally(standing('ended')),
    ended_with_price: tally(`${endedForSameCar} AND (p.is_written OR ${closed})`),
    closed_with_price: tally(`${endedForSameCar} AND ${closed}`),
    has_finished: column.flag(
      `coalesce(${among('bool_or(p.finished_at IS NOT NULL)', `v.standing IN ('written', 'waiting')`)}, false)`,
    ),
    lowest_otd_cents: column.number(`coalesce(${lowest(standing('written'))},
      ${lowest(`${endedForSameCar} AND p.is_written`)},
      ${lowest(`${standing('archived')} AND p.is_written AND v.is_same_car`)})`),
    hero_miles: column.number(own(hero('p.distance_miles'), 'double precision')),
    is_hero_seen: column.flag(own(hero('p.is_seen'), 'boolean')),
    chosen: column.text(
      `(${among(`json_agg(${jsonObject(LISTED, viewer)} ORDER BY p.id)`, 'p.chosen_at IS NOT NULL')})::text`,
    ),
    member_ids: column.text(`string_agg(p.id::text, ',')`),
  };
  return `CROSS JOIN LATERAL (
    SELECT ${select(columns, viewer)}
    FROM deal_sets.price_check p
    CROSS JOIN LATERAL (SELECT
      CASE WHEN p.archived_at IS NOT NULL THEN 'archived' ELSE p.state END AS standing,
      p.answer IS DISTINCT FROM 'different_car' AS is_same_car
    ) v
    WHERE p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
  ) g`;
}

/**
 * Returns the statement that reads the active requests. For each kind, it reads one row more than
 * is shown, to find out whether a request was left out.
 *
 * Parameters: $1 buyer.
 */
export function active(viewer: PrincipalType): string {
  const selectKind = (
    kind: number,
    from: string,
    table: string,
    order: string,
    most: number,
  ): string => {
    const columns = select(ENTRY, viewer, kind);
    const stored = storedColumns(`${columns} ${order} ${table}.buyer_id`, table);
    return `(SELECT ${columns} FROM (
      SELECT ${stored} FROM ${from} ORDER BY ${order} LIMIT ${most + 1}) ${table}
    JOIN deal_sets.request_feed f ON f.buyer_id = ${table}.buyer_id AND f.request_id = ${table}.id
      AND f.kind = ${ENTRY.kind.sql[kind] as string}
    ${kind === 0 ? figures(viewer) : ''} ORDER BY ${order})`;
  };
  return `${selectKind(
    0,
    'deal_sets.deal_set s WHERE s.buyer_id = $1 AND s.ended_at IS NULL',
    's',
    's.created_at DESC, s.id',
    ACTIVE_DEAL_SETS,
  )} UNION ALL ${selectKind(
    1,
    'deal_sets.price_check p WHERE p.buyer_id = $1 AND p.deal_set_id IS NULL AND p.ended IS NULL AND p.archived_at IS NULL',
    'p',
    'p.requested_at DESC, p.id',
    ACTIVE_SINGLES,
  )}`;
}

/** Returns the rows that are shown, and whether a request was left out. */
export function shown(rows: readonly Entry[]): { entries: Entry[]; hasMore: boolean } {
  const entriesOf = (kind: string, most: number): Entry[] =>
    rows.filter((row) => row.kind === kind).slice(0, most);
  const entries = [
    ...entriesOf('deal_set', ACTIVE_DEAL_SETS),
    ...entriesOf('single', ACTIVE_SINGLES),
  ];
  return { entries, hasMore: entries.length < rows.length };
}

/**
 * Returns the statement that reads a page of the feed. The statement returns at least one row,
 * which has the values for the watermark even if the page is empty.
 *
 * Parameters: $1 buyer, $2 since.
 */
export function changedSince(viewer: PrincipalType): string {
  return `WITH page AS MATERIALIZED (
  SELECT f.request_id, f.kind, f.feed_at, f.is_time_known
  FROM deal_sets.request_feed f
  WHERE f.buyer_id = $1 AND f.feed_at > $2::timestamptz
  ORDER BY f.feed_at FETCH FIRST ${FEED_PAGE} ROWS WITH TIES
), edge AS (
  SELECT max(feed_at) AS at FROM page
), reading AS (
  SELECT
    floor(extract(epoch FROM edge.at) * 1000)::bigint AS "edgeMs",
    EXISTS (SELECT FROM deal_sets.request_feed f WHERE f.buyer_id = $1 AND f.feed_at > edge.at) AS "hasMore",
    floor(extract(epoch FROM (SELECT max(f.feed_at) FROM deal_sets.request_feed f WHERE f.buyer_id = $1)) * 1000)::bigint
      AS "newestMs"
  FROM edge
), entry AS (
  SELECT f.feed_at, ${select(ENTRY, viewer)}
    FROM page f JOIN deal_sets.deal_set s ON s.buyer_id = $1 AND s.id = f.request_id ${figures(viewer)}
    WHERE f.kind = 'deal_set'
  UNION ALL
  SELECT f.feed_at, ${select(ENTRY, viewer, 1)}
    FROM page f JOIN deal_sets.price_check p ON p.buyer_id = $1 AND p.id = f.request_id AND p.deal_set_id IS NULL
    WHERE f.kind = 'single'
)
SELECT reading.*, entry.* FROM reading LEFT JOIN entry ON true ORDER BY entry.feed_at, entry.kind, entry.id`;
}

/** The number of new replies and the time of the latest, by kind and id of a request. */
export type Replies = ReadonlyMap<string, { readonly count: number; readonly latestAt: string }>;

function changes(entry: Entry, section: Section, replies: Replies): string {
  const found = replies.get(entry.kind + entry.id);
  const news = found
    ? `{"status":"new","count":${found.count},"latestAt":${json(found.latestAt)}}`
    : '{"status":"none"}';
  return `,"changes":{"hasWrittenPrice":${entry.otdCents !== null},"newReplies":${news},"ended":${section === 'inactive'}}`;
}

/**
 * Formats the response body of the list.
 *
 * @param replies the new replies, if the caller receives changes.
 */
export function listJson(
  entries: readonly Entry[],
  isAssistant: boolean,
  replies?: Replies,
): string {
  const all = entries.map((entry) =>
    entry.kind === 'single' ? single(entry, isAssistant, replies) : dealSet(entry, replies),
  );
  return `{"data":[${all.join()}]}`;
}

function single(e: Entry, isAssistant: boolean, replies?: Replies): string {
  const { carYear: year, carModel: model, carTrim: trim } = e;
  const section = singleSection(e);
  const label = isAssistant ? shortCarLabel(ENGLISH, { year, model, trim }) : e.dealershipName;
  return `{"kind":"single","id":"${e.id}","car":{"year":${year},"make":${json(e.carMake)},"model":${json(model)},"trim":${json(trim)}},"dealerLabel":${json(label)},"section":"${section}","lowestWrittenOtdCents":${e.otdCents},"needsYou":${e.openItems > 0 ? 1 : 0},"latestActivityAt":${json(e.latestAt)}${replies ? changes(e, section, replies) : ''}}`;
}

function dealSet(e: Entry, replies?: Replies): string {
  const { hasEnded, hasFinished } = e;
  const section = dealSetSection({ hasEnded, hasFinished });
  const chosen = JSON.parse(e.chosen ?? '[]') as RowOf<typeof LISTED>[];
  const labels = chosen.map((row) =>
    quoted(row.dealershipName ?? carLabel(ENGLISH, row) ?? requestedLabel(row, e)),
  );
  const members = e.memberIds === null ? '' : `"${e.memberIds.split(',').sort().join('","')}"`;
  return `{"kind":"deal_set","dealSetId":"${e.id}","href":"/deal-sets/${e.id}","car":${requestedCar(e)},"section":"${section}","lowestWrittenOtdCents":${e.otdCents},"needsYou":${e.openItems},"latestActivityAt":${json(e.latestAt)}${replies ? changes(e, section, replies) : ''},"buyerZip":${json(e.buyerZip)},"dealerCount":${e.dealersFound},"summary":{"written":${e.written},"waiting":${e.waiting},"differentCar":${e.differentCar},"ended":${e.ended},"endedWithPrice":${e.endedWithPrice},"closedWithPrice":${e.closedWithPrice}},"lowestWrittenDistanceMiles":${shownDistanceMiles(e.heroMiles, e.isHeroSeen)},"chosenLabels":[${labels.join(',')}],"memberIds":[${members}]}`;
}
