import type { ListEntry } from './types.js';

/**
 * Returns the key of an entry, which consists of its kind and id. Returns undefined for an unknown
 * kind.
 */
export function entryKey(entry: unknown): string | undefined {
  const { kind, id, dealSetId } = (entry ?? {}) as Record<string, unknown>;
  if (kind === 'deal_set' && typeof dealSetId === 'string') return `${kind}:${dealSetId}`;
  if (kind === 'single' && typeof id === 'string') return `${kind}:${id}`;
  return undefined;
}

/**
 * Recognizes an entry that is sent again unchanged. The service may send an entry twice but never
 * skips one.
 */
export class RepeatFilter {
  readonly #delivered = new Map<
    string,
    { readonly content: string; readonly isChecked: boolean }
  >();

  /** Returns whether the entry is new or differs from the last one with the same key. */
  isNews(key: string, entry: ListEntry): boolean {
    // `changes` depends on the poll's `since`, so it may differ for an unchanged request. If the
    // replies could not be checked before and now are, the entry counts as new.
    const { changes, ...request } = entry;
    const isChecked = changes?.newReplies.status !== 'could_not_check';
    const content = JSON.stringify(request);
    const before = this.#delivered.get(key);
    if (before?.content === content && (before.isChecked || !isChecked)) return false;
    this.#delivered.set(key, { content, isChecked });
    return true;
  }
}
