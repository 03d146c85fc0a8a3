import { distanceBand, shownDistanceMiles } from '../../src/deal-sets/domain/disclosure.js';
import { maskWords } from '../../src/deal-sets/domain/masked-words.js';
import { previewOf } from '../../src/deal-sets/domain/preview.js';
import { compareCodePoints } from '../../src/deal-sets/domain/ranking.js';
import {
  carLabel,
  ENGLISH,
  requestedCarLabel,
  shortCarLabel,
} from '../../src/deal-sets/domain/texts.js';
import type { CarAnswer, Ending } from '../../src/kernel/price-check-values.js';
import type { PrincipalType } from '../../src/kernel/principal.js';
import {
  flag,
  IS_SEEN,
  json,
  nameIf,
  number,
  own,
  quoted,
  REQUESTED,
  requestedCar,
  select,
  text,
  time,
  word,
  type RowOf,
} from './columns.js';

// One deal set: rows to JSON text in one go, redaction by plain conditions. Display texts are the service's.

/** How much of a draft is read, in code points: a preview shows at most 2,000 UTF-16 code units. */
const DRAFT_OPENING = 4096;
// Words are cut in the outermost list: inside the join they would be cut once for each member.
const LONG = `i.kind = 'draft' AND octet_length(i.words) > ${DRAFT_OPENING}`;
const OPENING = `left(i.words, ${DRAFT_OPENING})`;

/** Of deal set `s`, its member `p` (null: it has none), and an open item `i` of the member (null: it has none). */
const MEMBER = {
  setId: word('s.id'),
  ...REQUESTED,
  radiusMiles: number(own('s.radius_miles', 'double precision')),
  id: text('p.id'),
  listedYear: number('p.shown_year'),
  listedModel: text('p.shown_model'),
  listedTrim: text('p.shown_trim'),
  listedColor: text('p.shown_exterior_color'),
  mileage: number('p.shown_mileage'),
  listedAtCents: number('p.shown_listed_at_cents'),
  isPartner: flag('p.shown_verified_partner'),
  answer: { sql: ['p.answer'] } as { sql: string[]; value?: CarAnswer | null },
  endedBy: { sql: ['p.ended'] } as { sql: string[]; value?: Ending | null },
  otdCents: number('p.otd_cents'),
  sellingPriceCents: number('p.selling_price_cents'),
  writtenAt: text('p.written_at'),
  isSeen: flag(IS_SEEN),
  isChosen: flag('p.chosen_at IS NOT NULL'),
  isArchived: flag('p.archived_at IS NOT NULL'),
  distanceMiles: number(own('p.distance_miles', 'double precision')),
  dealershipName: text(own(nameIf(IS_SEEN))),
  itemKind: text('i.kind'),
  itemId: text('i.id'),
  promptId: text('i.prompt_id'),
  category: word('i.category'),
  answerMode: word('i.answer_mode'),
  itemOtdCents: number('i.otd_cents'),
  words: text(own(`CASE WHEN i.kind = 'draft' THEN ${OPENING} ELSE i.words END`)),
  hasMoreWords: flag(
    own(`${LONG} AND octet_length(i.words) > octet_length(${OPENING})`, 'boolean'),
  ),
  // While the member is hidden the server masks its dealership's name in the words.
  hiddenName: text(own(nameIf(`i.id IS NOT NULL AND NOT ${IS_SEEN}`))),
};
export type Member = RowOf<typeof MEMBER>;

/**
 * $1 buyer, $2 deal set. A row for each member and each of its open items, those with the oldest items first; one
 * at least when the deal set exists.
 */
export function one(viewer: PrincipalType): string {
  const words = { question: text(own('q.text')), draft: text(own('d.body')) };
  return `SELECT ${select(MEMBER, viewer)}
FROM deal_set s
LEFT JOIN price_check p ON p.buyer_id = s.buyer_id AND p.request_id = s.id AND p.deal_set_id = s.id
LEFT JOIN (
  SELECT 'question' AS kind, q.id, q.price_check_id, q.prompt_id, q.category, q.answer_mode, q.otd_cents,
    q.asked_at AS at, ${select({ words: words.question }, viewer)}
  FROM question q WHERE q.buyer_id = $1 AND q.request_id = $2 AND q.answered_at IS NULL
  UNION ALL
  SELECT 'draft', d.id, d.price_check_id, NULL, NULL, NULL, NULL, d.created_at, ${select({ words: words.draft }, viewer)}
  FROM draft d WHERE d.buyer_id = $1 AND d.request_id = $2 AND d.resolved_at IS NULL
) i ON i.price_check_id = p.id AND p.ended IS NULL AND p.archived_at IS NULL AND s.ended_at IS NULL
WHERE s.buyer_id = $1 AND s.id = $2
ORDER BY i.at, i.kind, i.id, p.id`;
}

type State = 'written' | 'waiting' | 'different_car' | 'ended';

const isWritten = (row: Member): boolean => row.otdCents !== null && row.writtenAt !== null;

function stateOf(row: Member): State {
  if (row.endedBy !== null) return 'ended';
  if (row.answer === 'different_car') return 'different_car';
  return isWritten(row) ? 'written' : 'waiting';
}

/** What a row is besides its columns; the gap of a row that is not ranked is null. */
interface Place {
  readonly label: string;
  readonly state: State;
  readonly gap: number | null;
}

/** Fields that a row and the hero have alike. */
const SHARED = {
  distanceMiles: (row: Member) => shownDistanceMiles(row.distanceMiles, row.isSeen),
  distanceBand: (row: Member) => json(distanceBand(row.distanceMiles)),
};

/** The fields of a row, in their order. */
const ROW: Readonly<Record<string, (row: Member, place: Place) => unknown>> = {
  rowKey: (row) => quoted(row.id),
  label: (_row, { label }) => quoted(label),
  hidden: (row) => !row.isSeen,
  chosen: (row) => row.isChosen,
  archived: (row) => row.isArchived,
  state: (_row, { state }) => quoted(state),
  ended: (row) => json(row.endedBy),
  statusLabel: (row, { state }) => quoted(ENGLISH.status({ state, ended: row.endedBy })),
  otdCents: (row) => (isWritten(row) ? row.otdCents : null),
  sellingPriceCents: (row) => (isWritten(row) ? row.sellingPriceCents : null),
  listedAtCents: (row) => row.listedAtCents,
  writtenAt: (row) => (isWritten(row) ? time(row.writtenAt) : 'null'),
  gapToLowestCents: (_row, { gap }) => gap,
  canChoose: (row, { gap }) => gap !== null && row.isSeen && !row.isChosen,
  canUnlock: (row, { gap }) => gap !== null && !row.isSeen,
  quotedTrim: (row) => json(row.listedTrim),
  ...SHARED,
  priceCheckHref: ({ isSeen, setId, id }) =>
    isSeen ? `"/deal-sets/${setId}/price-checks/${id}"` : 'null',
};
const FIELDS = Object.entries(ROW).map(([key, value]) => [`,"${key}":`, value] as const);

function rowJson(row: Member, place: Place, isHosted: boolean): string {
  let all = '';
  for (const [key, value] of FIELDS) all += key + String(value(row, place));
  return `{${all.slice(1)}${isHosted ? '' : `,"isVerifiedPartner":${row.isPartner}`}}`;
}

const byId = (a: Member, b: Member): number => ((a.id ?? '') < (b.id ?? '') ? -1 : 1);

function byPrice(a: Member, b: Member): number {
  if (a.otdCents !== b.otdCents) return (a.otdCents ?? 0) - (b.otdCents ?? 0);
  const [left, right] = [time(a.writtenAt), time(b.writtenAt)];
  return left === right ? byId(a, b) : left < right ? -1 : 1;
}

function byWritten(a: Member, b: Member): number {
  const [left, right] = [isWritten(a), isWritten(b)];
  if (left !== right) return left ? -1 : 1;
  return (left && (a.otdCents ?? 0) - (b.otdCents ?? 0)) || byId(a, b);
}

interface TrimGroup {
  readonly trim: string | null;
  readonly rows: Member[];
}

function byLowest(a: TrimGroup, b: TrimGroup): number {
  const apart = (a.rows[0]?.otdCents ?? 0) - (b.rows[0]?.otdCents ?? 0);
  if (apart !== 0) return apart;
  if (a.trim === null || b.trim === null) return Number(a.trim === null) - Number(b.trim === null);
  return compareCodePoints(a.trim, b.trim);
}

const listing = (row: Member) => ({
  year: row.listedYear,
  model: row.listedModel,
  trim: row.listedTrim,
  exteriorColor: row.listedColor,
  mileage: row.mileage,
  listedAtCents: row.listedAtCents,
});

export function setJson(members: readonly Member[], isAssistant: boolean, isHosted: boolean) {
  const set = members[0]!;
  const requested = requestedCarLabel(ENGLISH, { year: set.year, model: set.model ?? '' });
  const groups = new Map<string | null, TrimGroup>();
  const unranked: Member[] = [];
  const others = { written: '', waiting: '', different_car: '', ended: '', archived: '' };
  const counts = { written: 0, waiting: 0, different_car: 0, ended: 0 };
  let [endedWithPrice, closedWithPrice, archived, itemCount] = [0, 0, 0, 0];
  let items = '';
  const labels = new Map<string | null, string>();
  const labelOf = (row: Member): string => labels.get(row.id) ?? '';
  // A row for a different car is not labelled with the car that was asked for.
  const fallbackOf = ({ answer }: Member): string =>
    answer === 'different_car' ? 'Car' : requested;

  for (const row of members) {
    if (row.id === null) continue;
    if (!labels.has(row.id)) {
      labels.set(row.id, row.dealershipName ?? carLabel(ENGLISH, listing(row), fallbackOf(row)));
      const state = stateOf(row);
      if (row.isArchived) archived += 1;
      else counts[state] += 1;
      if (state === 'ended' && !row.isArchived) {
        const isClosed = row.endedBy === 'closed_with_price';
        if (isClosed) closedWithPrice += 1;
        if (isClosed || isWritten(row)) endedWithPrice += 1;
      }
      if (state === 'written' && !row.isArchived) {
        const group = groups.get(row.listedTrim);
        if (group) group.rows.push(row);
        else groups.set(row.listedTrim, { trim: row.listedTrim, rows: [row] });
      } else {
        unranked.push(row);
      }
    }
    if (row.itemKind !== null) {
      itemCount += 1;
      items += (items && ',') + itemJson(row, labelOf(row), fallbackOf(row), isAssistant);
    }
  }
  for (const row of unranked.sort(byWritten)) {
    const state = stateOf(row);
    const place = row.isArchived ? 'archived' : state;
    others[place] +=
      (others[place] && ',') + rowJson(row, { label: labelOf(row), state, gap: null }, isHosted);
  }
  for (const { rows } of groups.values()) rows.sort(byPrice);
  const ordered = [...groups.values()].sort(byLowest);
  const ranked = ordered.map(({ trim, rows }) => {
    const lowest = rows[0]?.otdCents ?? 0;
    const all = rows.map((row) => {
      const gap = (row.otdCents ?? 0) - lowest;
      return rowJson(row, { label: labelOf(row), state: 'written', gap }, isHosted);
    });
    return `{"trim":${json(trim)},"rows":[${all.join(',')}]}`;
  });
  const { written, waiting, different_car: differentCar, ended } = counts;
  const summary = { written, waiting, differentCar, ended, endedWithPrice, closedWithPrice };
  const header = isAssistant ? null : ENGLISH.headerLine({ ...summary, archived });
  const hero = ordered[0] ? heroJson(ordered[0], labelOf) : 'null';
  return `{"data":{"dealSetId":"${set.setId}","car":${requestedCar(set)},"search":{"buyerZip":${json(set.buyerZip)},"radiusMiles":${set.radiusMiles}},"counts":{"written":${written},"waiting":${waiting},"differentCar":${differentCar},"ended":${ended},"endedWithPrice":${endedWithPrice},"closedWithPrice":${closedWithPrice},"needsYou":${itemCount},"total":${set.dealersFound}},"headerLine":${json(header)},"hero":${hero},"ranked":[${ranked.join(',')}],"needsYou":[${items}],"everyoneElse":{"waiting":[${others.waiting}],"differentCar":[${others.different_car}],"ended":[${others.ended}],"archived":[${others.archived}]}}}`;
}

function heroJson({ trim, rows }: TrimGroup, labelOf: (row: Member) => string): string {
  const [row, next] = rows as [Member, Member?];
  const otd = row.otdCents ?? 0;
  const selling = row.sellingPriceCents;
  return `{"rowKey":"${row.id}","label":${quoted(labelOf(row))},"otdCents":${otd},"sellingPriceCents":${selling},"taxesAndFeesCents":${selling === null || selling > otd ? null : otd - selling},"listedAtCents":${row.listedAtCents},"writtenAt":${time(row.writtenAt)},"distanceMiles":${SHARED.distanceMiles(row)},"distanceBand":${SHARED.distanceBand(row)},"trim":${json(trim)},"gapToNextCents":${next ? (next.otdCents ?? 0) - otd : null},"canChoose":${row.isSeen && !row.isChosen},"canUnlock":${!row.isSeen},"chosen":${row.isChosen}}`;
}

function itemJson(row: Member, label: string, fallback: string, isAssistant: boolean): string {
  const start = `"rowKey":"${row.id}","label":${quoted(label)}`;
  const { words: given, hiddenName } = row;
  const words = given === null || hiddenName === null ? given : maskWords(given, hiddenName);
  if (row.itemKind === 'question') {
    // A session's heading names a car shortly.
    const isNamed = isAssistant || row.dealershipName !== null;
    const name = isNamed ? label : (shortCarLabel(ENGLISH, listing(row)) ?? fallback);
    return `{"kind":"question",${start},"promptId":${json(row.promptId)},"category":${quoted(row.category)},"heading":${quoted(ENGLISH.questionHeading({ category: row.category, label: name }))},"question":${json(words)},"answerMode":${quoted(row.answerMode)},"otdCents":${row.itemOtdCents}}`;
  }
  const preview = isAssistant || words === null ? null : previewOf(words, row.hasMoreWords);
  return `{"kind":"draft",${start},"requestId":"${row.itemId}","preview":${json(preview?.text)},"previewComplete":${(preview?.isComplete ?? false) && words === given}}`;
}
