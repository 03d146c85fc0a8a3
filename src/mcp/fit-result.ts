import type { ListResult } from '../deal-sets/deal-sets.api.js';

/** Hosts cap what a tool returns; a result of this size in bytes is below the caps that are known. */
export const RESULT_LIMIT = 60 * 1024;
/** Room for what is said besides the data. */
const FRAME_BYTES = 256;

/** From here a client reads everything. */
const BEGINNING = '1970-01-01T00:00:00Z';

interface Entry {
  readonly latestActivityAt: string | null;
}

/**
 * The result of the list tool, cut at a whole entry where it would be over the limit. On a call with
 * `since`, `asOf` is then the time of the last entry that is left, so that the next call continues there:
 * entries of one time stay together, as on a page of REST.
 */
export function fitList({ body, hasMore, asOf }: ListResult): string {
  const whole = `${body.slice(0, -1)},"more":${hasMore},"asOf":${JSON.stringify(asOf)}}`;
  if (Buffer.byteLength(whole) <= RESULT_LIMIT) return whole;

  const { data } = JSON.parse(body) as { readonly data: readonly Entry[] };
  const kept = keptCount(data, asOf !== null);
  if (kept === data.length) return whole;
  const time = data[kept - 1]?.latestActivityAt ?? null;
  // Never a later time than REST's. Times as the service writes them compare as texts.
  const next = asOf !== null && time !== null && time < asOf ? time : asOf;
  return JSON.stringify({
    data: data.slice(0, kept),
    more: true,
    asOf: next,
    omitted: { entries: data.length - kept },
    next: { since: next ?? BEGINNING },
  });
}

function keptCount(data: readonly Entry[], keepsTiesTogether: boolean): number {
  let bytes = FRAME_BYTES;
  let kept = 0;
  for (const [index, entry] of data.entries()) {
    bytes += bytesOf(entry);
    if (bytes > RESULT_LIMIT && kept > 0) return kept;
    if (!keepsTiesTogether || isCut(entry, data[index + 1])) kept = index + 1;
  }
  return data.length;
}

/** Whether a call with the time of one entry returns the next: an entry without a time has a place all the same. */
function isCut({ latestActivityAt: time }: Entry, next: Entry | undefined): boolean {
  const nextTime = next?.latestActivityAt ?? null;
  return !next || (time !== null && nextTime !== null && nextTime !== time);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** The parts of a deal set that hold rows or items, in the order in which they are read. */
export const PARTS = ['needs_you', 'ranked', 'everyone_else'] as const;
export type Part = (typeof PARTS)[number];

interface DealSet {
  readonly ranked: readonly { readonly rows: readonly unknown[] }[];
  readonly everyoneElse: Readonly<Record<string, readonly unknown[]>>;
  readonly needsYou: readonly unknown[];
}

/**
 * The result of the tool that reads a deal set. It is REST's body, unless a part was asked for or the
 * result would be over the limit: then it holds the rows and items from `from` on that fit, at least one,
 * and says how many of each part it leaves out and where to go on.
 */
export function fitDealSet(json: string, part?: Part, from = 0): string {
  const isWhole = part === undefined && from === 0;
  if (isWhole && Buffer.byteLength(json) <= RESULT_LIMIT) return json;

  const { data } = JSON.parse(json) as { readonly data: DealSet };
  const rows = rowsOf(data);
  const first = PARTS.indexOf(part ?? PARTS[0]);
  const after = rows.filter(({ part: of, index }) => {
    const order = PARTS.indexOf(of) - first;
    return order > 0 || (order === 0 && index >= from);
  });
  const asked = part === undefined ? after : after.filter((row) => row.part === part);

  let bytes = FRAME_BYTES + bytesOf(withRows(data, new Set()));
  const end = asked.findIndex(({ row }, index) => {
    bytes += bytesOf(row);
    return bytes > RESULT_LIMIT && index > 0;
  });
  const kept = new Set((end === -1 ? asked : asked.slice(0, end)).map(({ row }) => row));

  const omitted: Partial<Record<Part, number>> = {};
  for (const { part: of, row } of rows) if (!kept.has(row)) omitted[of] = (omitted[of] ?? 0) + 1;
  const next = after[kept.size];
  return JSON.stringify({
    data: withRows(data, kept),
    ...(kept.size < rows.length && { omitted }),
    ...(next && { next: { part: next.part, from: next.index } }),
  });
}

interface PlacedRow {
  readonly part: Part;
  /** Counted from 0 within the part. */
  readonly index: number;
  readonly row: unknown;
}

function rowsOf({ needsYou, ranked, everyoneElse }: DealSet): PlacedRow[] {
  const parts: Record<Part, readonly unknown[]> = {
    needs_you: needsYou,
    ranked: ranked.flatMap(({ rows }) => rows),
    everyone_else: Object.values(everyoneElse).flat(),
  };
  return PARTS.flatMap((part) => parts[part].map((row, index) => ({ part, index, row })));
}

/** The deal set with these rows and items alone; a group without any is left out. */
function withRows(set: DealSet, kept: ReadonlySet<unknown>): DealSet {
  const keep = (rows: readonly unknown[]): unknown[] => rows.filter((row) => kept.has(row));
  return {
    ...set,
    ranked: set.ranked
      .map((group) => ({ ...group, rows: keep(group.rows) }))
      .filter(({ rows }) => rows.length > 0),
    everyoneElse: Object.fromEntries(
      Object.entries(set.everyoneElse).map(([name, rows]) => [name, keep(rows)]),
    ),
    needsYou: keep(set.needsYou),
  };
}
