import { RESULT_LIMIT } from './fit-list.js';

/** The parts of a deal set that hold rows or items, in the order in which they are read. */
export const PARTS = ['needs_you', 'ranked', 'everyone_else'] as const;
export type Part = (typeof PARTS)[number];

interface Rows {
  readonly rows: readonly unknown[];
}

interface DealSet {
  readonly ranked: readonly (Rows & { readonly trim: string | null })[];
  readonly everyoneElse: Readonly<Record<string, readonly unknown[]>>;
  readonly needsYou: readonly unknown[];
}

/** Adjacent rows of the response. */
interface Run {
  readonly part: Part;
  readonly rows: readonly unknown[];
}

/** Room for what is said besides the deal set. */
const FRAME_BYTES = 256;

/**
 * The result of the tool that reads a deal set. It is REST's body, unless a part was asked for or the
 * result would be over the limit: then it holds the rows and items from `from` on that fit, at least one,
 * and says how many of each part it leaves out and where to go on.
 */
export function fitDealSet(json: string, part?: Part, from = 0): string {
  const isWhole = part === undefined && from === 0;
  if (isWhole && Buffer.byteLength(json) <= RESULT_LIMIT) return json;

  const { data } = JSON.parse(json) as { readonly data: DealSet };
  const first = PARTS.indexOf(part ?? PARTS[0]);
  let bytes = Buffer.byteLength(JSON.stringify(withRows(data, new Set()))) + FRAME_BYTES;

  const kept = new Set<unknown>();
  let isFull = false;
  const omitted: Partial<Record<Part, number>> = {};
  let next: { part: Part; from: number } | undefined;
  const place: Record<Part, number> = { needs_you: 0, ranked: 0, everyone_else: 0 };
  for (const { part: ofPart, rows } of runsOf(data)) {
    const order = PARTS.indexOf(ofPart) - first;
    for (const row of rows) {
      const index = place[ofPart]++;
      const isBefore = order < 0 || (order === 0 && index < from);
      const isAsked = !isBefore && (part === undefined || order === 0);
      const size = isAsked ? Buffer.byteLength(JSON.stringify(row)) + 1 : 0;
      isFull ||= isAsked && kept.size > 0 && bytes + size > RESULT_LIMIT;
      if (isAsked && !isFull) {
        kept.add(row);
        bytes += size;
        continue;
      }
      omitted[ofPart] = (omitted[ofPart] ?? 0) + 1;
      if (!isBefore) next ??= { part: ofPart, from: index };
    }
  }
  const isCut = Object.keys(omitted).length > 0;
  return JSON.stringify({
    data: withRows(data, kept),
    ...(isCut && { omitted }),
    ...(next && { next }),
  });
}

function runsOf({ needsYou, ranked, everyoneElse }: DealSet): readonly Run[] {
  return [
    { part: 'needs_you', rows: needsYou },
    ...ranked.map(({ rows }) => ({ part: 'ranked' as const, rows })),
    ...Object.values(everyoneElse).map((rows) => ({ part: 'everyone_else' as const, rows })),
  ];
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
