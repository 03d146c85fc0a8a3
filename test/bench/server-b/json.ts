import { distanceBand, shownDistanceMiles } from '../../../src/deal-sets/domain/distance.js';
import {
  headerLine,
  questionHeading,
  statusLabel,
} from '../../../src/deal-sets/domain/display-text.js';
import type { ListedFacts } from '../../../src/deal-sets/domain/facts.js';
import {
  carLabel,
  ENGLISH,
  requestedCarLabel,
  shortCarLabel,
} from '../../../src/deal-sets/domain/texts.js';
import { maskWords } from '../../../src/deal-sets/domain/masked-words.js';
import { previewOf } from '../../../src/deal-sets/domain/preview.js';
import { compareCodePoints } from '../../../src/deal-sets/domain/ranking.js';
import type { EntryRow, MemberRow } from './rows.js';

// Rows to JSON text in one go, redaction by plain conditions: no objects in between. Display texts are the service's.

const quoted = JSON.stringify;
const text = (value: string | null): string => (value === null ? 'null' : quoted(value));

/** `2026-11-20 10:00:00.123+00` as `2026-11-20T10:00:00.123Z`. */
function time(value: string | null): string {
  if (value === null) return 'null';
  const end = value.length - 3;
  const fraction = end > 20 ? value.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `"${value.slice(0, 10)}T${value.slice(11, 19)}.${fraction}Z"`;
}

function requestedCar(car: EntryRow | MemberRow): string {
  return `{"year":${car.year},"make":${text(car.make)},"model":${text(car.model)},"trim":${text(car.trim)},"exteriorColor":${text(car.exterior_color)},"interiorColor":${text(car.interior_color)},"drivetrain":${text(car.drivetrain)},"powertrain":${text(car.powertrain)}}`;
}

function fallbackLabel({ year, model }: EntryRow | MemberRow): string {
  return requestedCarLabel(ENGLISH, { year: year ?? 0, model: model ?? '' });
}

export type Replies = ReadonlyMap<string, { count: number; latest_at: string }>;

function changes(entry: EntryRow, hasEnded: boolean, replies: Replies): string {
  const found = replies.get(entry.kind + entry.id);
  const news = found
    ? `{"status":"new","count":${found.count},"latestAt":${time(found.latest_at)}}`
    : '{"status":"none"}';
  return `,"changes":{"hasWrittenPrice":${entry.otd_cents !== null},"newReplies":${news},"ended":${hasEnded}}`;
}

/** @param replies present when the caller gets changes. */
export function listJson(
  entries: readonly EntryRow[],
  isAssistant: boolean,
  replies?: Replies,
): string {
  let json = '{"data":[';
  let comma = '';
  for (const entry of entries) {
    json +=
      comma +
      (entry.kind === 'single' ? single(entry, isAssistant, replies) : dealSet(entry, replies));
    comma = ',';
  }
  return `${json}]}`;
}

function single(e: EntryRow, isAssistant: boolean, replies?: Replies): string {
  const isInactive = e.has_ended || e.is_archived;
  const section = isInactive ? 'inactive' : e.has_finished ? 'ready' : 'in_progress';
  const label = isAssistant ? shortCarLabel(ENGLISH, e) : e.dealership_name;
  return `{"kind":"single","id":"${e.id}","car":{"year":${e.year},"make":${text(e.make)},"model":${text(e.model)},"trim":${text(e.trim)}},"dealerLabel":${text(label)},"section":"${section}","lowestWrittenOtdCents":${e.otd_cents},"needsYou":${e.open_items > 0 ? 1 : 0},"latestActivityAt":${time(e.latest_activity_at)}${replies ? changes(e, isInactive, replies) : ''}}`;
}

function dealSet(e: EntryRow, replies?: Replies): string {
  const isReady = e.has_finished || (e.written > 0 && e.waiting === 0);
  const section = e.has_ended ? 'inactive' : isReady ? 'ready' : 'in_progress';
  const chosen = (e.chosen === null ? [] : JSON.parse(e.chosen)) as (ListedFacts & {
    dealershipName: string | null;
  })[];
  const labels = chosen.map((row) =>
    quoted(row.dealershipName ?? carLabel(ENGLISH, row, fallbackLabel(e))),
  );
  const members = e.member_ids === null ? '' : `"${e.member_ids.split(',').sort().join('","')}"`;
  const miles = shownDistanceMiles(e.lowest_distance_miles, e.is_lowest_seen ?? false);
  return `{"kind":"deal_set","dealSetId":"${e.id}","href":"/deal-sets/${e.id}","car":${requestedCar(e)},"section":"${section}","lowestWrittenOtdCents":${e.otd_cents},"needsYou":${e.open_items},"latestActivityAt":${time(e.latest_activity_at)}${replies ? changes(e, e.has_ended, replies) : ''},"buyerZip":${text(e.buyer_zip)},"dealerCount":${e.dealers_found},"summary":{"written":${e.written},"waiting":${e.waiting},"differentCar":${e.different_car},"ended":${e.ended},"endedWithPrice":${e.ended_with_price},"closedWithPrice":${e.closed_with_price}},"lowestWrittenDistanceMiles":${miles},"chosenLabels":[${labels.join(',')}],"memberIds":[${members}]}`;
}

function listing(row: MemberRow): ListedFacts {
  return {
    year: row.shown_year,
    model: row.shown_model,
    trim: row.shown_trim,
    exteriorColor: row.shown_exterior_color,
    mileage: row.shown_mileage,
    listedAtCents: row.shown_listed_at_cents,
  };
}

type State = 'written' | 'waiting' | 'different_car' | 'ended';

function stateOf(row: MemberRow): State {
  if (row.ended !== null) return 'ended';
  if (row.answer === 'different_car') return 'different_car';
  return isWritten(row) ? 'written' : 'waiting';
}

function isWritten(row: MemberRow): boolean {
  return row.otd_cents !== null && row.written_at !== null;
}

function byId(a: MemberRow, b: MemberRow): number {
  return (a.id ?? '') < (b.id ?? '') ? -1 : 1;
}

function byPrice(a: MemberRow, b: MemberRow): number {
  if (a.otd_cents !== b.otd_cents) return (a.otd_cents ?? 0) - (b.otd_cents ?? 0);
  const [left, right] = [time(a.written_at), time(b.written_at)];
  return left === right ? byId(a, b) : left < right ? -1 : 1;
}

function byWritten(a: MemberRow, b: MemberRow): number {
  const [left, right] = [isWritten(a), isWritten(b)];
  if (left !== right) return left ? -1 : 1;
  return (left && (a.otd_cents ?? 0) - (b.otd_cents ?? 0)) || byId(a, b);
}

interface TrimGroup {
  trim: string | null;
  rows: MemberRow[];
}

function byLowest(a: TrimGroup, b: TrimGroup): number {
  const apart = (a.rows[0]?.otd_cents ?? 0) - (b.rows[0]?.otd_cents ?? 0);
  if (apart !== 0) return apart;
  if (a.trim === null || b.trim === null) return Number(a.trim === null) - Number(b.trim === null);
  return compareCodePoints(a.trim, b.trim);
}

export function setJson(
  members: readonly MemberRow[],
  isAssistant: boolean,
  isHosted: boolean,
): string {
  const set = members[0]!;
  const requested = fallbackLabel(set);
  const groups = new Map<string | null, TrimGroup>();
  const unranked: MemberRow[] = [];
  const others = { written: '', waiting: '', different_car: '', ended: '', archived: '' };
  const counts = { written: 0, waiting: 0, different_car: 0, ended: 0 };
  let [endedWithPrice, closedWithPrice, archived, itemCount] = [0, 0, 0, 0];
  let items = '';
  const labels = new Map<string | null, string>();

  const rowJson = (row: MemberRow, state: State, gap: number | null): string => {
    const written = isWritten(row);
    const canBe = gap !== null;
    const href = row.is_seen ? `"/deal-sets/${set.set_id}/price-checks/${row.id}"` : 'null';
    return `{"rowKey":"${row.id}","label":${quoted(labels.get(row.id))},"hidden":${!row.is_seen},"chosen":${row.is_chosen},"archived":${row.is_archived},"state":"${state}","ended":${text(row.ended)},"statusLabel":"${statusLabel(state, row.ended)}","otdCents":${written ? row.otd_cents : null},"sellingPriceCents":${written ? row.selling_price_cents : null},"listedAtCents":${row.shown_listed_at_cents},"writtenAt":${written ? time(row.written_at) : 'null'},"gapToLowestCents":${gap},"canChoose":${canBe && row.is_seen && !row.is_chosen},"canUnlock":${canBe && !row.is_seen},"quotedTrim":${text(row.shown_trim)},"distanceMiles":${shownDistanceMiles(row.distance_miles, row.is_seen)},"distanceBand":${text(distanceBand(row.distance_miles))},"priceCheckHref":${href}${isHosted ? '' : `,"isVerifiedPartner":${row.shown_verified_partner}`}}`;
  };

  for (const row of members) {
    if (row.id === null) continue;
    let label = labels.get(row.id);
    if (label === undefined) {
      label = row.dealership_name ?? carLabel(ENGLISH, listing(row), fallbackOf(row, requested));
      labels.set(row.id, label);
      const state = stateOf(row);
      if (row.is_archived) archived += 1;
      else counts[state] += 1;
      if (state === 'ended' && !row.is_archived) {
        const isClosed = row.ended === 'closed_with_price';
        if (isClosed) closedWithPrice += 1;
        if (isClosed || isWritten(row)) endedWithPrice += 1;
      }
      if (state === 'written' && !row.is_archived) {
        const group = groups.get(row.shown_trim);
        if (group) group.rows.push(row);
        else groups.set(row.shown_trim, { trim: row.shown_trim, rows: [row] });
      } else {
        unranked.push(row);
      }
    }
    if (row.item_kind !== null) {
      itemCount += 1;
      items +=
        (items === '' ? '' : ',') + itemJson(row, label, fallbackOf(row, requested), isAssistant);
    }
  }
  for (const row of unranked.sort(byWritten)) {
    const state = stateOf(row);
    const place = row.is_archived ? 'archived' : state;
    others[place] += (others[place] === '' ? '' : ',') + rowJson(row, state, null);
  }
  for (const { rows } of groups.values()) rows.sort(byPrice);
  const ordered = [...groups.values()].sort(byLowest);
  let ranked = '';
  for (const { trim, rows } of ordered) {
    const lowest = rows[0]?.otd_cents ?? 0;
    let json = '';
    for (const row of rows)
      json += (json === '' ? '' : ',') + rowJson(row, 'written', (row.otd_cents ?? 0) - lowest);
    ranked += `${ranked === '' ? '' : ','}{"trim":${text(trim)},"rows":[${json}]}`;
  }
  const { written, waiting, different_car: differentCar, ended } = counts;
  const summary = { written, waiting, differentCar, ended, endedWithPrice, closedWithPrice };
  const header = isAssistant ? null : headerLine(summary, archived);
  const hero = ordered[0] ? heroJson(ordered[0], labels) : 'null';
  return `{"data":{"dealSetId":"${set.set_id}","car":${requestedCar(set)},"search":{"buyerZip":${text(set.buyer_zip)},"radiusMiles":${set.radius_miles}},"counts":{"written":${written},"waiting":${waiting},"differentCar":${differentCar},"ended":${ended},"endedWithPrice":${endedWithPrice},"closedWithPrice":${closedWithPrice},"needsYou":${itemCount},"total":${set.dealers_found}},"headerLine":${text(header)},"hero":${hero},"ranked":[${ranked}],"needsYou":[${items}],"everyoneElse":{"waiting":[${others.waiting}],"differentCar":[${others.different_car}],"ended":[${others.ended}],"archived":[${others.archived}]}}}`;
}

function heroJson({ trim, rows }: TrimGroup, labels: ReadonlyMap<string | null, string>): string {
  const [row, next] = rows as [MemberRow, MemberRow?];
  const otd = row.otd_cents ?? 0;
  const selling = row.selling_price_cents;
  return `{"rowKey":"${row.id}","label":${quoted(labels.get(row.id))},"otdCents":${otd},"sellingPriceCents":${selling},"taxesAndFeesCents":${selling === null || selling > otd ? null : otd - selling},"listedAtCents":${row.shown_listed_at_cents},"writtenAt":${time(row.written_at)},"distanceMiles":${shownDistanceMiles(row.distance_miles, row.is_seen)},"distanceBand":${text(distanceBand(row.distance_miles))},"trim":${text(trim)},"gapToNextCents":${next ? (next.otd_cents ?? 0) - otd : null},"canChoose":${row.is_seen && !row.is_chosen},"canUnlock":${!row.is_seen},"chosen":${row.is_chosen}}`;
}

/** A row for a different car is not labelled with the car that was asked for. */
function fallbackOf({ answer }: MemberRow, requested: string): string {
  return answer === 'different_car' ? 'Car' : requested;
}

function itemJson(row: MemberRow, label: string, fallback: string, isAssistant: boolean): string {
  const start = `"rowKey":"${row.id}","label":${quoted(label)}`;
  const { words: given, hidden_name: hidden } = row;
  const words = given === null || hidden === null ? given : maskWords(given, hidden);
  if (row.item_kind === 'question') {
    // A session's heading names a car shortly.
    const isNamed = isAssistant || row.dealership_name !== null;
    const name = isNamed ? label : (shortCarLabel(ENGLISH, listing(row)) ?? fallback);
    return `{"kind":"question",${start},"promptId":${text(row.prompt_id)},"category":${quoted(row.category)},"heading":${quoted(questionHeading(row.category, name))},"question":${text(words)},"answerMode":${quoted(row.answer_mode)},"otdCents":${row.item_otd_cents}}`;
  }
  const preview = isAssistant || words === null ? null : previewOf(words, row.has_more_words);
  return `{"kind":"draft",${start},"requestId":"${row.item_id}","preview":${text(preview?.text ?? null)},"previewComplete":${(preview?.isComplete ?? false) && words === given}}`;
}
