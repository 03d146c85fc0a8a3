import type { DraftFacts, NeedsYouFacts } from '../domain/facts.js';
import { maskWords } from '../domain/masking/masked-words.js';
import { beforeCut, previewOf } from '../domain/preview.js';

/**
 * Masks the words of a question or draft that identify the dealership while its row is hidden.
 *
 * @returns the item with the words that the buyer may see, and without keys; `item` itself if
 *   nothing has to be masked, or if the caller may not read words.
 */
export function maskItem(item: NeedsYouFacts): NeedsYouFacts {
  const { words, hiddenNameKeys } = item;
  if (words === null || hiddenNameKeys === null) return item;
  const masked = maskWords(words, hiddenNameKeys);
  if (item.kind === 'question') return { ...item, words: masked, hiddenNameKeys: null };
  const continues = item.hasMore ?? false;
  return {
    ...item,
    words: continues ? beforeCut(masked) : masked,
    // A preview in which something was masked is not complete.
    hasMore: continues || masked !== words,
    hiddenNameKeys: null,
  };
}

/**
 * Returns the beginning of a draft whose words are masked.
 *
 * @returns `text`, which is null for a caller who may not read words, and `isComplete`, which is
 *   true if `text` is the whole draft and nothing in it was masked.
 */
export function shownDraft({ words, hasMore }: DraftFacts): {
  readonly text: string | null;
  readonly isComplete: boolean;
} {
  // Even whether the preview is complete is withheld: it would reveal whether the draft is short.
  return words === null ? { text: null, isComplete: false } : previewOf(words, hasMore ?? false);
}
