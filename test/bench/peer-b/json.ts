import { previewOf } from '../../../src/deal-sets/domain/preview.js';
import { packedUuidsJson } from '../../../src/kernel/packed-uuids.js';
import type { EntryRow, MemberRow } from './rows.js';
import { READS_MODEL } from './sql.js';

// Rows to JSON text in one go, redaction by plain conditions: no objects in between.

const quoted = JSON.stringify;
const text = (value: string | null): string => (value === null ? 'null' : quoted(value));

/** `2026-11-20 10:00:00.123+00` as `2026-11-20T10:00:00.123Z`. */
function time(value: string | null): string {
  if (value === null) return 'null';
  const end = value.length - 3;
  const fraction = end > 20 ? value.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `"${value.slice(0, 10)}T${value.slice(11, 19)}.${fraction}Z"`;
}

function grouped(value: number): string {
  if (value < 1000) return String(value);
  const rest = value % 1000;
  return `${grouped((value - rest) / 1000)},${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

interface Listed {
  year: number | null;
  model: string | null;
  trim: string | null;
  exteriorColor: string | null;
  mileage: number | null;
  listedAtCents: number | null;
}

function words(...parts: (string | number | null)[]): string {
  let line = '';
  for (const part of parts)
    if (part !== null && part !== '') line += line === '' ? String(part) : ` ${part}`;
  return line;
}

/** The trim without the model's name at its beginning. */
function rest(trim: string | null, model: string | null): string | null {
  if (!trim || !model || !trim.toLowerCase().startsWith(model.toLowerCase())) return trim;
  const end = trim.slice(model.length);
  return end === '' || /^\s/.test(end) ? end.trim() : trim;
}

function carLabel(car: Listed, fallback: string): string {
  let label = words(car.exteriorColor, car.year, car.model, rest(car.trim, car.model));
  if (car.mileage !== null) {
    const hundreds = Math.round(car.mileage / 100);
    if (label !== '') label += ', ';
    label += hundreds === 0 ? 'almost no miles' : `about ${grouped(hundreds * 100)} miles`;
  }
  if (car.listedAtCents !== null) {
    if (label !== '') label += ', ';
    label += `listed at $${grouped(Math.round(car.listedAtCents / 100))}`;
  }
  return label || fallback;
}

function bandFrom(miles: number): number {
  return miles > 100 ? 100 : miles >= 50 ? 50 : miles >= 25 ? 25 : miles >= 10 ? 10 : 0;
}
const BANDS: Readonly<Record<number, string>> = {
  0: '"Under 10 miles"',
  10: '"10 to 25 miles"',
  25: '"25 to 50 miles"',
  50: '"50 to 100 miles"',
  100: '"Over 100 miles"',
};
function distance(miles: number | null, isSeen: boolean): number | null {
  return miles === null || isSeen ? miles : bandFrom(miles);
}

interface RequestedCar {
  year: number | null;
  make: string | null;
  model: string | null;
  trim: string | null;
  exterior_color: string | null;
  interior_color: string | null;
  drivetrain: string | null;
  powertrain: string | null;
}

function requestedCar(car: RequestedCar): string {
  return `{"year":${car.year},"make":${text(car.make)},"model":${text(car.model)},"trim":${text(car.trim)},"exteriorColor":${text(car.exterior_color)},"interiorColor":${text(car.interior_color)},"drivetrain":${text(car.drivetrain)},"powertrain":${text(car.powertrain)}}`;
}

export type Replies = ReadonlyMap<string, { count: number; latest_at: string }>;

function changes(
  entry: EntryRow,
  lowest: number | null,
  hasEnded: boolean,
  replies: Replies,
): string {
  const found = replies.get(entry.kind + entry.id);
  const news = found
    ? `{"status":"new","count":${found.count},"latestAt":${time(found.latest_at)}}`
    : '{"status":"none"}';
  return `,"changes":{"hasWrittenPrice":${lowest !== null},"newReplies":${news},"ended":${hasEnded}}`;
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
  const lowest = e.otd_cents;
  const section = isInactive ? 'inactive' : e.has_finished ? 'ready' : 'in_progress';
  const label = isAssistant
    ? words(e.year, e.model, rest(e.trim, e.model)) || null
    : e.dealership_name;
  return `{"kind":"single","id":"${e.id}","car":{"year":${e.year},"make":${text(e.make)},"model":${text(e.model)},"trim":${text(e.trim)}},"dealerLabel":${text(label)},"section":"${section}","lowestWrittenOtdCents":${lowest},"needsYou":${e.open_items > 0 ? 1 : 0},"latestActivityAt":${time(e.latest_activity_at)}${replies ? changes(e, lowest, isInactive, replies) : ''}}`;
}

/** The read model has them in order, packed. */
function idList(ids: string): string {
  return READS_MODEL ? packedUuidsJson(ids) : `["${ids.split(',').sort().join('","')}"]`;
}

function dealSet(e: EntryRow, replies?: Replies): string {
  const section = e.has_ended
    ? 'inactive'
    : e.has_finished || (e.written > 0 && e.waiting === 0)
      ? 'ready'
      : 'in_progress';
  const fallback = words(e.year, e.model) || 'Car';
  let labels = '';
  if (e.chosen !== null) {
    const names = e.chosen_names ? (JSON.parse(e.chosen_names) as string[]) : [];
    const rows = JSON.parse(e.chosen) as (Listed & { dealershipName?: string | null })[];
    for (const [place, row] of rows.entries()) {
      const name = row.dealershipName ?? names[place];
      labels += (labels === '' ? '' : ',') + quoted(name ?? carLabel(row, fallback));
    }
  }
  const members = e.member_ids === null ? '[]' : idList(e.member_ids);
  const miles = distance(e.lowest_distance_miles, e.is_lowest_seen ?? false);
  return `{"kind":"deal_set","dealSetId":"${e.id}","href":"/deal-sets/${e.id}","car":${requestedCar(e)},"section":"${section}","lowestWrittenOtdCents":${e.otd_cents},"needsYou":${e.open_items},"latestActivityAt":${time(e.latest_activity_at)}${replies ? changes(e, e.otd_cents, e.has_ended, replies) : ''},"buyerZip":${text(e.buyer_zip)},"dealerCount":${e.dealers_found},"summary":{"written":${e.written},"waiting":${e.waiting},"differentCar":${e.different_car},"ended":${e.ended},"endedWithPrice":${e.ended_with_price},"closedWithPrice":${e.closed_with_price}},"lowestWrittenDistanceMiles":${miles},"chosenLabels":[${labels}],"memberIds":${members}}`;
}

const STATUS: Readonly<Record<string, string>> = {
  written: 'Price in writing',
  waiting: 'Waiting for a written price',
  different_car: 'Answered for a different car',
  sold: 'The car was sold',
  closed_with_price: 'Ended with a written price',
  no_price: 'Closed without a price',
  timed_out: 'No answer in time',
};
const TOPICS: Readonly<Record<string, string>> = {
  appointment: 'A question about a visit',
  availability: 'A question about the car’s availability',
  color: 'A question about the color',
  configuration: 'A question about the configuration',
  contact: 'A question about how to reach you',
  delivery: 'A question about delivery',
  financing: 'A question about financing',
  price: 'A question about the price',
  rebates: 'A question about rebates',
  timing: 'A question about timing',
  trade_in: 'A question about a trade-in',
  trim: 'A question about the trim',
};

function label(row: MemberRow, fallback: string): string {
  return (
    row.dealership_name ??
    carLabel(
      {
        year: row.shown_year,
        model: row.shown_model,
        trim: row.shown_trim,
        exteriorColor: row.shown_exterior_color,
        mileage: row.shown_mileage,
        listedAtCents: row.shown_listed_at_cents,
      },
      fallback,
    )
  );
}

function stateOf(row: MemberRow): string {
  if (row.ended !== null) return 'ended';
  if (row.answer === 'different_car') return 'different_car';
  return row.otd_cents !== null && row.written_at !== null ? 'written' : 'waiting';
}

/** How the row is named in the heading of an item. */
function headingLabel(row: MemberRow, full: string, fallback: string): string {
  if (row.dealership_name !== null) return full;
  return words(row.shown_year, row.shown_model, rest(row.shown_trim, row.shown_model)) || fallback;
}

interface Ranked {
  row: MemberRow;
  label: string;
  otd: number;
}

function byPrice(a: Ranked, b: Ranked): number {
  if (a.otd !== b.otd) return a.otd - b.otd;
  const left = time(a.row.written_at);
  const right = time(b.row.written_at);
  if (left !== right) return left < right ? -1 : 1;
  return (a.row.id ?? '') < (b.row.id ?? '') ? -1 : 1;
}

function byWritten(a: MemberRow, b: MemberRow): number {
  const [left, right] = [a, b].map((row) => (row.written_at === null ? null : row.otd_cents));
  if (left !== null && right !== null && left !== right) return left! - right!;
  if ((left === null) !== (right === null)) return left === null ? 1 : -1;
  return (a.id ?? '') < (b.id ?? '') ? -1 : 1;
}

function byTrim(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function setJson(
  members: readonly MemberRow[],
  isAssistant: boolean,
  isHosted: boolean,
): string {
  const set = members[0]!;
  const setId = set.set_id;
  const fallback = words(set.car_year, set.car_model) || 'Car';
  const groups = new Map<string | null, Ranked[]>();
  const unranked: MemberRow[] = [];
  const others = { waiting: '', different_car: '', ended: '', archived: '' };
  const counts = { written: 0, waiting: 0, different_car: 0, ended: 0 };
  let endedWithPrice = 0;
  let closedWithPrice = 0;
  let items = '';
  let itemCount = 0;
  let archived = 0;
  const labels = new Map<string, string>();

  const rowJson = (row: MemberRow, rowLabel: string, state: string, gap: number | null): string => {
    const isWritten = row.otd_cents !== null && row.written_at !== null;
    const isRanked = gap !== null;
    const miles = distance(row.distance_miles, row.is_seen);
    const band = row.distance_miles === null ? null : BANDS[bandFrom(row.distance_miles)];
    const href = row.is_seen ? `"/deal-sets/${setId}/price-checks/${row.id}"` : 'null';
    return `{"rowKey":"${row.id}","label":${quoted(rowLabel)},"hidden":${!row.is_seen},"chosen":${row.is_chosen},"archived":${row.is_archived},"state":"${state}","ended":${row.ended === null ? 'null' : `"${row.ended}"`},"statusLabel":"${STATUS[row.ended ?? state]}","otdCents":${isWritten ? row.otd_cents : null},"sellingPriceCents":${isWritten ? row.selling_price_cents : null},"listedAtCents":${row.shown_listed_at_cents},"writtenAt":${isWritten ? time(row.written_at) : 'null'},"gapToLowestCents":${gap},"canChoose":${isRanked && row.is_seen && !row.is_chosen},"canUnlock":${isRanked && !row.is_seen},"quotedTrim":${text(row.shown_trim)},"distanceMiles":${miles},"distanceBand":${band},"priceCheckHref":${href}${isHosted ? '' : `,"isVerifiedPartner":${row.shown_verified_partner}`}}`;
  };

  for (const row of members) {
    if (row.id === null) continue;
    let rowLabel = labels.get(row.id);
    if (rowLabel === undefined) {
      rowLabel = label(row, fallback);
      labels.set(row.id, rowLabel);
      const state = stateOf(row);
      if (row.is_archived) archived += 1;
      else counts[state as keyof typeof counts] += 1;
      if (state === 'ended' && !row.is_archived) {
        const isClosed = row.ended === 'closed_with_price';
        if (isClosed) closedWithPrice += 1;
        if (isClosed || (row.otd_cents !== null && row.written_at !== null)) endedWithPrice += 1;
      }
      if (state === 'written' && !row.is_archived) {
        const ranked = { row, label: rowLabel, otd: row.otd_cents ?? 0 };
        const group = groups.get(row.shown_trim);
        if (group) group.push(ranked);
        else groups.set(row.shown_trim, [ranked]);
      } else {
        unranked.push(row);
      }
    }
    if (row.item_kind !== null) {
      itemCount += 1;
      const heading = isAssistant ? rowLabel : headingLabel(row, rowLabel, fallback);
      items += (items === '' ? '' : ',') + itemJson(row, rowLabel, heading, isAssistant);
    }
  }
  for (const row of unranked.sort(byWritten)) {
    const state = stateOf(row);
    const place = (row.is_archived ? 'archived' : state) as keyof typeof others;
    const rowLabel = labels.get(row.id ?? '') ?? '';
    others[place] += (others[place] === '' ? '' : ',') + rowJson(row, rowLabel, state, null);
  }

  const ordered = [...groups].map(([trim, rows]) => ({ trim, rows: rows.sort(byPrice) }));
  ordered.sort((a, b) => a.rows[0]!.otd - b.rows[0]!.otd || byTrim(a.trim, b.trim));
  let ranked = '';
  for (const { trim, rows } of ordered) {
    const lowest = rows[0]!.otd;
    let json = '';
    for (const { row, label: rowLabel, otd } of rows)
      json += (json === '' ? '' : ',') + rowJson(row, rowLabel, 'written', otd - lowest);
    ranked += `${ranked === '' ? '' : ','}{"trim":${text(trim)},"rows":[${json}]}`;
  }

  const { written, waiting, different_car: differentCar, ended } = counts;
  const car = requestedCar({
    year: set.car_year,
    make: set.car_make,
    model: set.car_model,
    trim: set.car_trim,
    exterior_color: set.car_exterior_color,
    interior_color: set.car_interior_color,
    drivetrain: set.car_drivetrain,
    powertrain: set.car_powertrain,
  });
  return `{"data":{"dealSetId":"${setId}","car":${car},"search":{"buyerZip":${text(set.buyer_zip)},"radiusMiles":${set.radius_miles}},"counts":{"written":${written},"waiting":${waiting},"differentCar":${differentCar},"ended":${ended},"endedWithPrice":${endedWithPrice},"closedWithPrice":${closedWithPrice},"needsYou":${itemCount},"total":${set.dealers_found}},"headerLine":${isAssistant ? 'null' : quoted(headerLine(written, waiting, differentCar, ended, archived))},"hero":${heroJson(ordered[0])},"ranked":[${ranked}],"needsYou":[${items}],"everyoneElse":{"waiting":[${others.waiting}],"differentCar":[${others.different_car}],"ended":[${others.ended}],"archived":[${others.archived}]}}}`;
}

function heroJson(group: { trim: string | null; rows: Ranked[] } | undefined): string {
  if (!group) return 'null';
  const [first, next] = group.rows;
  const { row, label: heroLabel, otd } = first!;
  const selling = row.selling_price_cents;
  const band = row.distance_miles === null ? null : BANDS[bandFrom(row.distance_miles)];
  return `{"rowKey":"${row.id}","label":${quoted(heroLabel)},"otdCents":${otd},"sellingPriceCents":${selling},"taxesAndFeesCents":${selling === null || selling > otd ? null : otd - selling},"listedAtCents":${row.shown_listed_at_cents},"writtenAt":${time(row.written_at)},"distanceMiles":${distance(row.distance_miles, row.is_seen)},"distanceBand":${band},"trim":${text(group.trim)},"gapToNextCents":${next ? next.otd - otd : null},"canChoose":${row.is_seen && !row.is_chosen},"canUnlock":${!row.is_seen},"chosen":${row.is_chosen}}`;
}

function headerLine(
  written: number,
  waiting: number,
  differentCar: number,
  ended: number,
  archived: number,
): string {
  let line = written > 0 ? `${written} written ${written === 1 ? 'price' : 'prices'}` : '';
  const add = (part: string): string => (line += (line === '' ? '' : ', ') + part);
  if (waiting > 0) add(`${waiting} without a written price yet`);
  if (differentCar > 0) add(`${differentCar} for a different car`);
  if (ended > 0) add(`${ended} ended`);
  return line || (archived > 0 ? `${archived} archived` : 'No dealership has been asked yet');
}

function itemJson(
  row: MemberRow,
  rowLabel: string,
  headingLabel: string,
  isAssistant: boolean,
): string {
  const start = `"rowKey":"${row.id}","label":${quoted(rowLabel)}`;
  if (row.item_kind === 'question') {
    const heading = `${TOPICS[row.category] ?? 'A question'}: ${headingLabel}`;
    return `{"kind":"question",${start},"promptId":${text(row.prompt_id)},"category":${quoted(row.category)},"heading":${quoted(heading)},"question":${text(row.words)},"answerMode":${quoted(row.answer_mode)},"otdCents":${row.item_otd_cents}}`;
  }
  const preview =
    isAssistant || row.words === null ? null : previewOf(row.words, row.has_more_words === true);
  return `{"kind":"draft",${start},"requestId":"${row.item_id}","preview":${text(preview?.text ?? null)},"previewComplete":${preview?.isComplete ?? false}}`;
}
