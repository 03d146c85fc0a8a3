import type { CallToolResult } from '@modelcontextprotocol/client';
import type { DealSetResult } from '@deal-sets/client';

/** The input of `get_deal_set` that reads the next part of a deal set that was split. */
export interface Continuation {
  readonly part: 'needs_you' | 'ranked' | 'everyone_else';
  /** The index of the first item to read. */
  readonly from: number;
}

/** One result of the tool `get_deal_set`. */
export interface DealSetPage {
  readonly data: DealSetResult;
  /** Absent in the last result. */
  readonly next?: Continuation;
}

/** Reads a result of the tool. Returns undefined for an error and for any other content. */
export function readPage(result: CallToolResult): DealSetPage | undefined {
  const content = result.structuredContent as Partial<DealSetPage> | undefined;
  if (result.isError === true || !Array.isArray(content?.data?.ranked)) return undefined;
  return content as DealSetPage;
}

/** Adds a page to the pages before it. */
export function mergePages(before: DealSetPage, after: DealSetPage): DealSetPage {
  const ranked = before.data.ranked.map((group) => ({ ...group }));
  for (const group of after.data.ranked) {
    const known = ranked.find(({ trim }) => trim === group.trim);
    if (known) known.rows = [...known.rows, ...group.rows];
    else ranked.push({ ...group });
  }
  const needsYou = [...before.data.needsYou, ...after.data.needsYou];
  const { waiting, differentCar, ended, archived } = before.data.everyoneElse;
  const rest = after.data.everyoneElse;
  const everyoneElse = {
    waiting: [...waiting, ...rest.waiting],
    differentCar: [...differentCar, ...rest.differentCar],
    ended: [...ended, ...rest.ended],
    archived: [...archived, ...rest.archived],
  };
  return { ...after, data: { ...after.data, ranked, needsYou, everyoneElse } };
}
