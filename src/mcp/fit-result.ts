/** The largest tool result in bytes. It is below the limits of all known MCP hosts. */
export const RESULT_LIMIT = 60 * 1024;
/** Bytes reserved for what the result contains besides the data. */
const FRAME_BYTES = 256;

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** The result of a tool call, with its JSON text. */
export interface ToolResult {
  readonly value: Record<string, unknown>;
  readonly text: string;
}

/** Returns a result with its JSON text, which is made once. */
export function toolResult(value: object): ToolResult {
  return { value: value as Record<string, unknown>, text: JSON.stringify(value) };
}

/** Returns whether a result is not too large. */
export function fitsResult({ text }: ToolResult): boolean {
  return Buffer.byteLength(text) <= RESULT_LIMIT;
}

/** The parts of a deal set that contain rows or items, in reading order. */
export const PARTS = ['needs_you', 'ranked', 'everyone_else'] as const;
/** One of `PARTS`. */
export type Part = (typeof PARTS)[number];

interface DealSet {
  readonly ranked: readonly { readonly rows: readonly unknown[] }[];
  /** Lists of rows by name. */
  readonly everyoneElse: object;
  readonly needsYou: readonly unknown[];
}

/**
 * Fits a deal set into one tool result. REST's response is returned unchanged if it does not exceed
 * the limit and neither a part nor a position was requested. Otherwise the result contains as many
 * rows and items as fit, but at least one if there is any, beginning at position `from`; the number
 * of those omitted from each part; and the input for the next call.
 *
 * @param response REST's response.
 * @param part the only part to return. Default: all parts.
 * @param from position of the first row or item within the part, counted from 0.
 */
export function fitDealSet(
  response: { readonly data: DealSet },
  part?: Part,
  from = 0,
): ToolResult {
  if (part === undefined && from === 0) {
    const whole = toolResult(response);
    if (fitsResult(whole)) return whole;
  }

  const { data } = response;
  const parts: Record<Part, readonly unknown[]> = {
    needs_you: data.needsYou,
    ranked: data.ranked.flatMap(({ rows }) => rows),
    everyone_else: listsOf(data).flatMap(([, rows]) => rows),
  };
  const rows = PARTS.flatMap((name) => parts[name].map((row, index) => ({ name, index, row })));
  const first = PARTS.indexOf(part ?? PARTS[0]);
  const after = rows.filter(({ name, index }) => {
    const order = PARTS.indexOf(name) - first;
    return order > 0 || (order === 0 && index >= from);
  });
  const requested = part === undefined ? after : after.filter(({ name }) => name === part);

  const groups = new Map(data.ranked.flatMap((group) => group.rows.map((row) => [row, group])));
  const opened = new Set<object>();
  let bytes = FRAME_BYTES + bytesOf(withRows(data, new Set()));
  const end = requested.findIndex(({ row }, index) => {
    bytes += bytesOf(row);
    const group = groups.get(row);
    if (group && !opened.has(group)) {
      opened.add(group);
      bytes += bytesOf({ ...group, rows: [] });
    }
    return bytes > RESULT_LIMIT && index > 0;
  });
  const kept = new Set((end === -1 ? requested : requested.slice(0, end)).map(({ row }) => row));

  const omitted: Partial<Record<Part, number>> = {};
  for (const { name, row } of rows) {
    if (kept.has(row)) continue;
    omitted[name] = (omitted[name] ?? 0) + 1;
  }
  const next = after[kept.size];
  return toolResult({
    data: withRows(data, kept),
    ...(kept.size < rows.length && { omitted }),
    ...(next && { next: { part: next.name, from: next.index } }),
  });
}

/** Returns the lists of unranked rows, by name. */
function listsOf({ everyoneElse }: DealSet): readonly (readonly [string, readonly unknown[]])[] {
  return Object.entries(everyoneElse);
}

/** Returns the deal set with only these rows and items. Ranked groups without rows are omitted. */
function withRows(set: DealSet, kept: ReadonlySet<unknown>): DealSet {
  const keep = (rows: readonly unknown[]): unknown[] => rows.filter((row) => kept.has(row));
  return {
    ...set,
    ranked: set.ranked
      .map((group) => ({ ...group, rows: keep(group.rows) }))
      .filter(({ rows }) => rows.length > 0),
    everyoneElse: Object.fromEntries(listsOf(set).map(([name, rows]) => [name, keep(rows)])),
    needsYou: keep(set.needsYou),
  };
}
