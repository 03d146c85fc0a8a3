const PREVIEW_GRAPHEMES = 280;
/** A grapheme may be of any length; this bounds what is sent. In UTF-16 code units. */
const PREVIEW_UNITS = 2_000;
/** A dealership's name has at most 300 characters, and a message may write it with a few signs more. */
const LONGEST_NAME = 330;

/**
 * How much of a draft a preview needs, in code points: the longest preview with the code point after it, which may
 * belong to its last grapheme, and what `beforeCut` removes.
 */
export const OPENING_CHARACTERS = PREVIEW_UNITS + 2 + LONGEST_NAME;

const HALF_CHARACTER = /[\ud800-\udbff]$/;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters that never join with one another: Latin, Cyrillic, kana, Hangul syllables, ideographs, punctuation. */
export const SEPARATE =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0400-\u0481\u2010-\u2027\u3001-\u3007\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/;

/**
 * The masked opening of a draft that goes on, without the place where a name may have been cut and so not masked. It is
 * cut between graphemes; a single grapheme that is longer, between code points.
 */
export function beforeCut(masked: string): string {
  const place = masked.length - LONGEST_NAME;
  const grapheme = GRAPHEMES.segment(masked).containing(place);
  if (!grapheme) return '';
  return masked.slice(0, grapheme.index || place).replace(HALF_CHARACTER, '');
}

/**
 * How a draft begins, cut between graphemes; only a first grapheme that alone is longer is cut, between code points.
 *
 * @param opening the draft; of a draft longer than 2,000 code units any beginning that is longer too.
 * @param hasMore the opening is not all of the draft as it was written.
 * @returns text is null when there is none.
 */
export function previewOf(
  opening: string,
  hasMore: boolean,
): { readonly text: string | null; readonly isComplete: boolean } {
  if (opening === '') return { text: null, isComplete: false };
  const text = firstGraphemes(opening);
  return { text, isComplete: !hasMore && text === opening };
}

function firstGraphemes(opening: string): string {
  // The segmenter takes a fifth of a millisecond for a preview, which many drafts add up to a blocked process.
  const next = opening.slice(0, PREVIEW_GRAPHEMES + 1);
  if (SEPARATE.test(next)) return next.slice(0, PREVIEW_GRAPHEMES);
  let text = '';
  let count = 0;
  // With the code point after the limit in full: it may belong to the last grapheme.
  for (const { segment } of GRAPHEMES.segment(opening.slice(0, PREVIEW_UNITS + 2))) {
    if (count === PREVIEW_GRAPHEMES || text.length + segment.length > PREVIEW_UNITS) break;
    text += segment;
    count += 1;
  }
  if (count === 0) return opening.slice(0, PREVIEW_UNITS).replace(HALF_CHARACTER, '');
  return text;
}
