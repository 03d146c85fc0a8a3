const PREVIEW_GRAPHEMES = 280;
/**
 * The longest preview in UTF-16 code units. A grapheme can have any length, so a limit in graphemes
 * is not enough.
 */
const PREVIEW_UNITS = 2_000;

/**
 * The number of code points to read from a draft for a preview: enough for the longest preview and
 * one more code point, which may belong to the last grapheme.
 */
export const OPENING_CHARACTERS = PREVIEW_UNITS + 2;

const HALF_CHARACTER = /[\ud800-\udbff]$/;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Characters that never combine with each other: Latin, Cyrillic, kana, Hangul syllables,
 * ideographs, punctuation.
 */
export const SEPARATE =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0400-\u0481\u2010-\u2027\u3001-\u3007\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/;

/** The beginning of a draft, as a response shows it. */
export interface Preview {
  /** Null for a caller who may not read the words, and where there are none. */
  readonly text: string | null;
  /** Whether `text` is the whole draft. */
  readonly isComplete: boolean;
}

/**
 * Returns the beginning of a draft, cut between graphemes. Only a first grapheme that is too long
 * by itself is cut, between code points.
 *
 * @param opening the draft, or a beginning of more than 2,000 code units; null if the caller may not
 *   read it.
 * @param isPartial whether the opening is not the whole draft.
 */
export function previewOf(opening: string | null, isPartial: boolean): Preview {
  // Even whether the preview is complete is withheld with the words: it would reveal whether the
  // draft is short.
  if (!opening) return { text: null, isComplete: false };
  const text = firstGraphemes(opening);
  return { text, isComplete: !isPartial && text === opening };
}

function firstGraphemes(opening: string): string {
  // Avoids the segmenter, which takes a fifth of a millisecond for each preview: many drafts would
  // block the process.
  const next = opening.slice(0, PREVIEW_GRAPHEMES + 1);
  if (SEPARATE.test(next)) return next.slice(0, PREVIEW_GRAPHEMES);
  let text = '';
  let count = 0;
  // Includes the whole code point after the limit, because it may belong to the last grapheme.
  for (const { segment } of GRAPHEMES.segment(opening.slice(0, PREVIEW_UNITS + 2))) {
    if (count === PREVIEW_GRAPHEMES || text.length + segment.length > PREVIEW_UNITS) break;
    text += segment;
    count += 1;
  }
  if (count === 0) return opening.slice(0, PREVIEW_UNITS).replace(HALF_CHARACTER, '');
  return text;
}
