import type { DraftFacts, QuestionFacts } from '../domain/facts.js';
import { maskWords } from '../domain/masking/masked-words.js';
import { beforeCut, previewOf } from '../domain/preview.js';

/**
 * Returns the text of a question as the buyer may see it. While the dealership's row is hidden,
 * words that identify the dealership are masked.
 *
 * @returns null for a caller who may not read words.
 */
export function shownQuestion({ words, hiddenNameKeys }: QuestionFacts): string | null {
  return words !== null && hiddenNameKeys !== null ? maskWords(words, hiddenNameKeys) : words;
}

/**
 * Returns the beginning of a draft as the buyer may see it, masked like a question.
 *
 * @returns `text`, which is null for a caller who may not read words, and `isComplete`, which is
 *   true if `text` is the whole draft and nothing in it was masked.
 */
export function shownDraft({ words, hasMore, hiddenNameKeys }: DraftFacts): {
  readonly text: string | null;
  readonly isComplete: boolean;
} {
  // Even whether the preview is complete is withheld: it would reveal whether the draft is short.
  if (words === null) return { text: null, isComplete: false };
  const continues = hasMore ?? false;
  if (hiddenNameKeys === null) return previewOf(words, continues);
  const masked = maskWords(words, hiddenNameKeys);
  return continues ? previewOf(beforeCut(masked), true) : previewOf(masked, masked !== words);
}
