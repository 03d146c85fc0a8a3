/** Hosts cap what a tool returns; a result of this size in bytes is below the caps that are known. */
export const RESULT_LIMIT = 60 * 1024;
/** Room for what is said besides the data. */
const FRAME_BYTES = 256;

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
 * REST's body of a deal set, unless a part was asked for or it is over the limit: then the rows and items from `from`
 * on that fit, at least one, how many of each part are left out, and where to go on.
 */
export function fitDealSet(json: string, part?: Part, from = 0): string {
  if (part === undefined && from === 0 && Buffer.byteLength(json) <= RESULT_LIMIT) return json;

  const { data } = JSON.parse(json) as { readonly data: DealSet };
  const parts: Record<Part, readonly unknown[]> = {
    needs_you: data.needsYou,
    ranked: data.ranked.flatMap(({ rows }) => rows),
    everyone_else: Object.values(data.everyoneElse).flat(),
  };
  const rows = PARTS.flatMap((name) => parts[name].map((row, index) => ({ name, index, row })));
  const first = PARTS.indexOf(part ?? PARTS[0]);
  const after = rows.filter(({ name, index }) => {
    const order = PARTS.indexOf(name) - first;
    return order > 0 || (order === 0 && index >= from);
  });
  const asked = part === undefined ? after : after.filter(({ name }) => name === part);

  let bytes = FRAME_BYTES + bytesOf(withRows(data, new Set()));
  const end = asked.findIndex(({ row }, index) => {
    bytes += bytesOf(row);
    return bytes > RESULT_LIMIT && index > 0;
  });
  const kept = new Set((end === -1 ? asked : asked.slice(0, end)).map(({ row }) => row));

  const omitted: Partial<Record<Part, number>> = {};
  for (const { name, row } of rows) if (!kept.has(row)) omitted[name] = (omitted[name] ?? 0) + 1;
  const next = after[kept.size];
  return JSON.stringify({
    data: withRows(data, kept),
    ...(kept.size < rows.length && { omitted }),
    ...(next && { next: { part: next.name, from: next.index } }),
  });
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
