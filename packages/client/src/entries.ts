import type { ListEntry } from './types.js';

/** The key of an entry: one per kind and id. Undefined for a kind that this version does not know. */
export function entryKey(entry: unknown): string | undefined {
  const { kind, id, dealSetId } = (entry ?? {}) as Record<string, unknown>;
  if (kind === 'deal_set' && typeof dealSetId === 'string') return `${kind}:${dealSetId}`;
  if (kind === 'single' && typeof id === 'string') return `${kind}:${id}`;
  return undefined;
}

/** Recognises an entry that comes again as it was: the service may send one twice, and never skips one. */
export class RepeatFilter {
  readonly #delivered = new Map<
    string,
    { readonly content: string; readonly isChecked: boolean }
  >();

  /** Whether the entry is new or differs from what was let through before. */
  isNews(key: string, entry: ListEntry): boolean {
    // `changes` depends on the poll's `since`, so it differs where the request does not. What an earlier
    // poll could not check is news all the same.
    const { changes, ...request } = entry;
    const isChecked = changes?.newReplies.status !== 'could_not_check';
    const content = JSON.stringify(request);
    const before = this.#delivered.get(key);
    if (before?.content === content && (before.isChecked || !isChecked)) return false;
    this.#delivered.set(key, { content, isChecked });
    return true;
  }
}
